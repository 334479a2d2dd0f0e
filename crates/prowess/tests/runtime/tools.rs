use prowess::catalog::Style;
use prowess::tools::{self, Call, Shape};
use prowess::{Catalog, CatalogOptions, ErrorKind, Ledger, Library, json};
use serde_json::{Value, json as object};

use crate::common::{memory, skill};

fn library() -> Library {
    memory([
        ("project/pdf/SKILL.md", skill("pdf", "Fills forms.")),
        ("project/pdf/a.txt", "0123456789".to_owned()),
        ("project/ship/SKILL.md", skill("ship", "Ships.\ndisable-model-invocation: true")),
        ("plugin-a/lint/SKILL.md", skill("lint", "Lints A.")),
        ("plugin-b/lint/SKILL.md", skill("lint", "Lints B.")),
    ])
}

#[test]
fn definitions_have_four_shapes() {
    let shapes = [Shape::OpenAi, Shape::Anthropic, Shape::Gemini, Shape::Mcp];
    let library = library();
    let all: Vec<Value> = shapes
        .iter()
        .map(|shape| object!({format!("{shape:?}"): tools::definitions(&library, *shape)}))
        .collect();
    insta::with_settings!({sort_maps => true}, { insta::assert_json_snapshot!("definitions", all) });
}

#[test]
fn the_catalog_may_stand_in_the_description() {
    let library = library();
    let catalog = Catalog::build(&library, &CatalogOptions::new().style(Style::Tool));
    let tools = tools::definitions_with_catalog(&library, &catalog, Shape::Anthropic);
    let description = tools[0]["description"].as_str().unwrap();
    assert!(description.ends_with(catalog.text()));
    assert_eq!(tools[1], tools::definitions(&library, Shape::Anthropic)[1]);
}

#[test]
fn without_a_listed_skill_there_is_no_tool() {
    let hidden = [("project/ship/SKILL.md", skill("ship", "Ships.\ndisable-model-invocation: true"))];
    for library in [memory([("project/x", "")]), memory(hidden)] {
        for shape in [Shape::OpenAi, Shape::Anthropic, Shape::Gemini, Shape::Mcp] {
            assert_eq!(tools::definitions(&library, shape), [Value::Null; 0]);
        }
    }
}

#[test]
fn many_names_are_no_enum() {
    let files = |count: usize| {
        (0..count).map(|n| (format!("project/s{n}/SKILL.md"), skill(&format!("s{n}"), "Does it.")))
    };
    let has_enum = |count| {
        let tools = tools::definitions(&memory(files(count)), Shape::Mcp);
        tools[0]["inputSchema"]["properties"]["name"]["enum"].is_array()
    };
    assert!(has_enum(200) && !has_enum(201));
}

/// What the model is told, or the code of the error.
fn call(tool: &str, arguments: impl Into<tools::Arguments>) -> Option<Result<String, ErrorKind>> {
    let delivery = library().request(tool, arguments)?.deliver(&mut Ledger::new(), "id");
    Some(match delivery.error() {
        Some(error) => Err(error.kind()),
        None => Ok(delivery.into_text()),
    })
}

#[test]
fn a_call_is_dispatched_or_is_not_ours() {
    use ErrorKind::{AmbiguousName, UnknownResource, UnknownSkill, Usage, UserOnly};
    assert_eq!(call("read_file", r#"{"name": "pdf"}"#), None);
    assert_eq!(call("Activate_Skill", "{"), None);
    for arguments in [
        object!({"name": "pdf"}),
        object!({"name": "project:pdf", "reason": "unasked for"}),
        object!(r#" {"name": "pdf"} "#),
    ] {
        let text = call("activate_skill", &arguments).unwrap().unwrap();
        assert!(text.contains("\nStep one.\n"), "{text}");
    }
    for (arguments, kind) in [
        (object!({"name": "pdf-filler"}), UnknownSkill),
        (object!({"name": "../pdf"}), UnknownSkill),
        (object!({"name": "/project/pdf/SKILL.md"}), UnknownSkill),
        (object!({"name": "lint"}), AmbiguousName),
        (object!({"name": "ship"}), UserOnly),
        (object!({"name": 7}), Usage),
        (object!({"name": null}), Usage),
        (object!({"skill": "pdf"}), Usage),
        (object!({}), Usage),
        (object!(null), Usage),
        (object!(["pdf"]), Usage),
        (object!(true), Usage),
        (object!("{"), Usage),
        (object!(""), Usage),
        (object!("pdf"), Usage),
        (object!(r#"{"name": "pdf""#), Usage),
    ] {
        assert_eq!(call("activate_skill", &arguments), Some(Err(kind)), "{arguments}");
    }
    for (arguments, expected) in [
        (object!({"name": "pdf", "path": "a.txt"}), Ok("0123456789")),
        (object!({"name": "pdf", "path": "a.txt", "offset": null, "length": null}), Ok("0123456789")),
        (
            object!({"name": "pdf", "path": "a", "offset": 6.0, "length": 100}),
            Ok("6789\n(bytes 6 to 10 of 10)\n"),
        ),
        (object!({"name": "pdf", "path": "a.txt", "offset": -1}), Err(Usage)),
        (object!({"name": "pdf", "path": "a.txt", "length": 1.5}), Err(Usage)),
        (object!({"name": "pdf", "path": "a.txt", "length": "10"}), Err(Usage)),
        (object!({"name": "pdf"}), Err(Usage)),
        (object!({"name": "pdf", "path": "b.txt"}), Err(UnknownResource)),
        (object!({"name": "ship", "path": "a.txt"}), Err(UserOnly)),
    ] {
        let expected = Some(expected.map(str::to_owned));
        assert_eq!(call("read_skill_resource", &arguments), expected, "{arguments}");
    }
}

#[test]
fn a_refusal_tells_the_model_what_to_do() {
    let library = library();
    let told = |arguments: &str| {
        let request = library.request("activate_skill", arguments).unwrap();
        request.deliver(&mut Ledger::new(), "id").into_text()
    };
    assert!(told(r#"{"name": "ship"}"#).contains("ask the user"));
    assert!(told(r#"{"name": "pfd"}"#).contains("did you mean `pdf`?"));
    assert!(told(r#"{"name": "lint"}"#).contains("say which: `plugin-a:lint`, `plugin-b:lint`"));
    assert!(told("{").contains("must be a JSON object"));
    assert!(told(&"x".repeat(100_000)).len() < 200);
}

#[test]
fn a_call_is_read_in_every_form() {
    let text = r#"{"name": "pdf"}"#;
    let object = object!({"name": "pdf"});
    let request =
        object!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "t", "arguments": object}});
    for (call, id, arguments) in [
        (
            object!({"id": "1", "type": "function", "function": {"name": "t", "arguments": text}}),
            "1",
            object!(text),
        ),
        (
            object!({"id": "x", "call_id": "1", "type": "function_call", "name": "t", "arguments": text}),
            "1",
            object!(text),
        ),
        (object!({"id": "1", "type": "tool_use", "name": "t", "input": object}), "1", object.clone()),
        (object!({"functionCall": {"id": "1", "name": "t", "args": object}}), "1", object.clone()),
        (object!({"id": null, "name": "t", "args": object}), "", object.clone()),
        (request, "", object.clone()),
        (object!({"name": "t"}), "", Value::Null),
        (
            object!({"id": "1", "type": "custom", "custom": {"name": "t", "input": "free text"}}),
            "1",
            object!("free text"),
        ),
    ] {
        let read = Call::read(&call).unwrap();
        let id = Some(id.to_owned()).filter(|id| !id.is_empty());
        assert_eq!((read.id, read.tool.as_str(), read.arguments), (id, "t", arguments), "{call}");
    }
    for call in [object!({}), object!(null), object!("t"), object!({"name": 1}), object!({"function": "t"})] {
        assert_eq!(Call::read(&call).unwrap_err().kind(), ErrorKind::Usage, "{call}");
    }
}

#[test]
fn an_answer_stands_at_the_given_placement_or_at_the_calls_id() {
    let with_id = Call::read(&object!({"id": "call-1", "name": "activate_skill"})).unwrap();
    let without = Call::read(&object!({"name": "activate_skill"})).unwrap();
    let placement = |call: &Call, given: Option<&str>| call.placement(given.map(str::to_owned));
    assert_eq!(placement(&with_id, None).unwrap(), "call-1");
    assert_eq!(placement(&with_id, Some("here")).unwrap(), "here");
    assert_eq!(placement(&without, Some("here")).unwrap(), "here");
    assert_eq!(placement(&without, None).unwrap_err().kind(), ErrorKind::Usage);
}

#[test]
fn every_name_in_a_definition_is_activated_by_a_call() {
    let library = library();
    let tools = tools::definitions(&library, Shape::OpenAi);
    let names = tools[0]["function"]["parameters"]["properties"]["name"]["enum"].clone();
    let mut ids = Vec::new();
    for name in names.as_array().unwrap() {
        let request = library.request("activate_skill", &object!({"name": name})).unwrap();
        let delivery = request.deliver(&mut Ledger::new(), "id");
        ids.push(delivery.activation().unwrap().skill.id().to_owned());
    }
    let listed: Vec<&str> = library.listed().map(|skill| skill.id()).collect();
    assert_eq!(ids, listed);
}

#[test]
fn scalars_are_typed_and_never_lost() {
    use prowess::value::Value::{Plain, Text};
    for (text, expected) in [
        ("1.10", object!(1.1)),
        ("-7", object!(-7)),
        ("+7", object!(7)),
        ("007", object!(7)),
        (".5", object!(0.5)),
        ("true", object!(true)),
        ("yes", object!("yes")),
        ("-inf", object!("-inf")),
        ("-nan", object!("-nan")),
        ("1e999", object!("1e999")),
        ("+-5", object!("+-5")),
        ("2024-01-01", object!("2024-01-01")),
        ("-", object!("-")),
    ] {
        assert_eq!(json::value(&Plain(text.into())), expected, "{text}");
        assert_eq!(json::value(&Text(text.into())), object!(text));
    }
}
