//! What goes wrong, and what is said of it.

use super::*;
use crate::ErrorKind;

/// Each response is sent once, the last one for all requests that follow.
fn scripted(responses: Vec<Response>) -> Peer {
    Peer::start(move |before, _| responses[before.min(responses.len() - 1)].clone())
}

#[track_caller]
fn check(api: Api, response: Response, expected: (ErrorKind, &str)) {
    let peer = scripted(vec![response]);
    let error = ask(&provider(api, &peer), &turn()).0.unwrap_err();
    assert_eq!(error.kind(), expected.0, "{error}");
    assert!(error.to_string().contains(expected.1), "{error}");
    assert!(!error.to_string().contains(SECRET), "{error}");
}

#[test]
fn errors_of_the_endpoint() {
    use ErrorKind::{Model, TooLong, Unsupported};
    let said = |status, body: &str| Response::json(status, body);
    let openai = |response, expected| check(Api::OpenAi, response, expected);
    let wrong_key = format!(
        r#"{{"error":{{"message":"Incorrect API key provided: {SECRET}","code":"invalid_api_key"}}}}"#
    );
    openai(said(401, &wrong_key), (Model, "check the key"));
    openai(said(404, r#"{"error":{"message":"no such model"}}"#), (Model, "no such model"));
    openai(
        said(400, r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#),
        (TooLong, "budget"),
    );
    openai(
        said(
            400,
            r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}"#,
        ),
        (TooLong, "budget"),
    );
    openai(said(413, "<html>too large</html>"), (TooLong, "too large"));
    openai(said(400, r#"{"error":"this model does not support tools"}"#), (Unsupported, "another method"));
    openai(said(500, r#"{"error":{"message":"no luck"}}"#), (Model, "no luck"));
    openai(said(302, ""), (Model, "redirects"));
    let long =
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1 > 0"}}"#;
    check(Api::Anthropic, said(400, long), (TooLong, "prompt is too long"));
    check(
        Api::Gemini,
        said(400, r#"[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]"#),
        (Model, "API key not valid (INVALID_ARGUMENT)"),
    );
}

#[test]
fn answers_that_are_none() {
    use ErrorKind::{Model, Network};
    let half = r#"{"choices":[{"delta":{"content":"Hel"#;
    let begun = r#"{"choices":[{"delta":{"content":"Hello"}}]}"#;
    let openai = |response, expected| check(Api::OpenAi, response, expected);
    openai(Response::events(&[begun, "{not json}"]), (Model, "malformed"));
    openai(Response::events(&[begun]), (Network, "broke off"));
    openai(Response::new(200, "text/event-stream", &format!("data: {half}")), (Network, "broke off"));
    openai(Response::events(&[begun, begun]).cut(150), (Network, "broke off"));
    openai(
        Response::events(&[begun, r#"{"error":{"message":"the template failed","code":500}}"#]),
        (Model, "the template failed"),
    );
    openai(Response::new(200, "text/html", "<html>Sign in</html>"), (Model, "Sign in"));
    openai(Response::json(200, r#"{"hello": "world"}"#), (Model, "the answer is none"));
    openai(Response::events(&[]), (Network, "broke off"));
    check(
        Api::Anthropic,
        Response::events(&[r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#]),
        (Model, "Overloaded"),
    );
    check(
        Api::Gemini,
        Response::events(&[r#"{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#]),
        (Model, "malformed"),
    );
}

#[test]
fn an_answer_of_ten_megabytes_is_not_taken() {
    let text = "x".repeat(1000);
    let event = format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
    let events = vec![event.as_str(); 10_000];
    check(
        Api::OpenAi,
        Response::events(&events),
        (ErrorKind::Model, "larger than the limit of 4194304 bytes"),
    );
    // One line without an end, and one that is no stream.
    let line = format!("data: {}", "x".repeat(10_000_000));
    check(
        Api::OpenAi,
        Response::new(200, "text/event-stream", &line),
        (ErrorKind::Model, "larger than the limit"),
    );
    check(Api::OpenAi, Response::json(200, &line), (ErrorKind::Model, "larger than the limit"));
}

#[test]
fn nobody_at_the_endpoint() {
    let peer = Peer::start(|_, _| Response::json(200, "{}"));
    let url = peer.url();
    drop(peer);
    // The port may be somebody else's by now, and then answers something that is no answer.
    let provider = Provider::new(Api::OpenAi, url, "m", options()).unwrap();
    ask(&provider, &turn()).0.unwrap_err();
}

#[test]
fn a_busy_endpoint_is_asked_again() {
    let done = Response::events(&[r#"{"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]}"#]);
    let busy = Response::with_headers(429, &[("retry-after", "0")], "slow down");
    let peer = scripted(vec![busy, Response::json(503, "{}"), Response(Vec::new()), done]);
    let mut waits = Vec::new();
    let provider = provider(Api::OpenAi, &peer);
    let reply = provider.reply(&turn(), &mut |delta| {
        if let Delta::Retry { attempt, .. } = delta {
            waits.push(attempt);
        }
        ControlFlow::Continue(())
    });
    assert_eq!(reply.map(|reply| reply.text), Ok("Done.".to_owned()));
    assert_eq!((waits, peer.received().len()), (vec![1, 2, 3], 4));
}

#[test]
fn patience_has_an_end() {
    let asked = |responses| {
        let peer = scripted(responses);
        let error = ask(&provider(Api::OpenAi, &peer), &turn()).0.unwrap_err();
        (peer.received().len(), error.to_string())
    };
    let (requests, message) = asked(vec![Response::json(529, "{}")]);
    assert_eq!(requests, 4, "{message}");
    // A wait of an hour is not waited, and a request that is wrong stays wrong.
    assert_eq!(asked(vec![Response::with_headers(429, &[("retry-after", "3600")], "")]).0, 1);
    assert_eq!(asked(vec![Response::json(400, "{}")]).0, 1);
}

#[test]
fn whoever_breaks_hears_no_more() {
    let event = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    let peer = scripted(vec![Response::events(&[event, event, event])]);
    let mut heard = 0;
    let error = provider(Api::OpenAi, &peer).reply(&turn(), &mut |_| {
        heard += 1;
        ControlFlow::Break(())
    });
    assert_eq!((error.unwrap_err().kind(), heard), (ErrorKind::Cancelled, 1));
}

#[test]
fn settings_that_are_wrong_are_said_at_once() {
    let check = |endpoint: &str, model: &str, options| {
        let error = Provider::new(Api::OpenAi, endpoint, model, options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
    };
    check("127.0.0.1:8080", "m", ProviderOptions::new());
    check("http://127.0.0.1:8080", "", ProviderOptions::new());
    check("http://127.0.0.1:8080", "m", ProviderOptions::new().proxy(Some("nowhere://".to_owned())));
}
