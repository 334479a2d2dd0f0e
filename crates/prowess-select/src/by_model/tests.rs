use super::*;
use crate::testing::{Scripted, calls, library, says};

const SKILLS: [(&str, &str); 3] =
    [("pdf-forms", "Forms."), ("commit-message", "Commits."), ("commit", "More.")];

fn choose(method: Method, reply: Result<Reply, Error>) -> Result<Option<String>, String> {
    let library = library(&SKILLS);
    let model = Scripted::new([reply]);
    let choice = ByModel::new(&model, method).select(&Request::new(&library, "prompt"));
    choice.map(|choice| choice.skill).map_err(|error| error.to_string())
}

#[track_caller]
fn check(method: Method, reply: Result<Reply, Error>, expected: Option<&str>) {
    assert_eq!(choose(method, reply), Ok(expected.map(str::to_owned)));
}

#[track_caller]
fn fails(method: Method, reply: Result<Reply, Error>, expected: &str) {
    let error = choose(method, reply).unwrap_err();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_call_is_a_choice() {
    let call = |arguments: &str| calls(&[("activate_skill", arguments)]);
    check(Method::Tool, call(r#"{"name": "pdf-forms"}"#), Some("pdf-forms"));
    check(Method::Tool, call(r#"{"name": "PDF Forms"}"#), Some("pdf-forms"));
    check(Method::Tool, says("I need no skill for that."), None);
    let several =
        [("activate_skill", r#"{"name": "commit"}"#), ("activate_skill", r#"{"name": "pdf-forms"}"#)];
    check(Method::Tool, calls(&several), Some("commit"));
    fails(Method::Tool, call(r#"{"name": "pdf-froms"}"#), "did you mean `pdf-forms`");
    fails(Method::Tool, call("{"), "must be a JSON object");
    fails(Method::Tool, call("{}"), "`name` must be a string");
    fails(Method::Tool, calls(&[("rm", "{}")]), "which it was not given");
    fails(Method::Tool, says(" \n"), "empty");
}

#[test]
fn an_answer_by_schema_is_a_choice() {
    check(Method::Schema, says(r#"{"skill": "commit-message"}"#), Some("commit-message"));
    check(Method::Schema, says("\n{\"skill\": \"none\"}\n"), None);
    fails(Method::Schema, says(r#"{"skill": "tax-forms"}"#), "no skill");
    fails(Method::Schema, says(r#"{"name": "pdf-forms"}"#), "has no `skill`");
    fails(Method::Schema, says("pdf-forms"), "no JSON");
}

#[test]
fn a_plain_answer_is_a_choice_if_it_names_one() {
    check(Method::Text, says("pdf-forms"), Some("pdf-forms"));
    check(Method::Text, says("**`pdf-forms`**.\n"), Some("pdf-forms"));
    check(Method::Text, says("The skill that fits is commit-message."), Some("commit-message"));
    check(Method::Text, says("None."), None);
    check(Method::Text, says("The answer is: none"), None);
    fails(Method::Text, says("pdf-forms or commit"), "names `commit` and `pdf-forms`");
    fails(Method::Text, says("I can't say."), "names no skill");
}

#[test]
fn what_was_cut_or_refused_is_no_choice() {
    let mut reply = Reply::new("pdf-forms");
    reply.stop = Stop::Length;
    fails(Method::Text, Ok(reply.clone()), "cut");
    reply.stop = Stop::Refusal;
    fails(Method::Text, Ok(reply), "refused");
}

#[test]
fn an_endpoint_that_refuses_tools_is_asked_otherwise() {
    let library = library(&SKILLS);
    let refusal = || Err(Error::new(ErrorKind::Unsupported, "no tools"));
    let model = Scripted::new([refusal(), refusal(), says("commit")]);
    let choice = ByModel::new(&model, Method::Auto).select(&Request::new(&library, "prompt")).unwrap();
    assert_eq!(choice.skill.as_deref(), Some("commit"));
    let asked = model.asked();
    assert_eq!((asked[0].tools.len(), &asked[0].form), (1, &Form::Free));
    assert!(asked[1].tools.is_empty() && asked[1].form != Form::Free);
    assert!(asked[2].tools.is_empty() && asked[2].form == Form::Free);
    fails(Method::Tool, refusal(), "no tools");
}

#[test]
fn a_skill_may_be_called_none() {
    let library = library(&[("none", "Does nothing."), ("pdf", "Forms.")]);
    let model = Scripted::new([says(r#"{"skill": "none"}"#), says(r#"{"skill": "(no skill)"}"#)]);
    let chooser = ByModel::new(&model, Method::Schema);
    let request = Request::new(&library, "prompt");
    assert_eq!(chooser.select(&request).unwrap().skill.as_deref(), Some("none"));
    assert_eq!(chooser.select(&request).unwrap().skill, None);
}

#[test]
fn the_catalog_stands_before_the_prompt_in_every_way_of_asking() {
    let library = library(&SKILLS);
    let request = Request::new(&library, "the prompt");
    for method in [Method::Auto, Method::Tool, Method::Schema, Method::Text] {
        let turn = turn(&request, method);
        assert!(turn.system.ends_with(request.catalog.text()));
        assert!(
            matches!(&turn.messages[..], [crate::model::Message::User { text, .. }] if text.contains("the prompt"))
        );
    }
}
