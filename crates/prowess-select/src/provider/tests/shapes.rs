//! The four shapes, as snapshots, and as they arrive.

use super::*;

fn shown(provider: &Provider, turn: &Turn) -> Value {
    let request = provider.request(turn);
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let headers: Vec<String> =
        request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    json!({"url": request.url, "headers": headers, "body": body})
}

#[track_caller]
fn check(name: &str, api: Api, endpoint: &str) {
    let options = ProviderOptions::new().key(Key::new(SECRET)).max_output(Some(500)).temperature(Some(0.0));
    let provider = Provider::new(api, endpoint, "the-model", options).unwrap();
    let shapes = json!({"tools": shown(&provider, &turn()), "schema": shown(&provider, &choice())});
    insta::assert_json_snapshot!(name, sorted(&shapes));
}

/// With sorted keys, whether or not something else that is built keeps their order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_four_shapes() {
    check("openai", Api::OpenAi, "https://api.openai.com/v1");
    check("openai-compatible", Api::OpenAi, "http://127.0.0.1:8080/v1/");
    check("anthropic", Api::Anthropic, "https://api.anthropic.com");
    check("gemini", Api::Gemini, "https://generativelanguage.googleapis.com");
}

#[test]
fn what_is_shown_is_what_arrives() {
    for api in [Api::OpenAi, Api::Anthropic, Api::Gemini] {
        for turn in [turn(), choice()] {
            let peer = Peer::start(|_, _| Response::json(400, "{}"));
            let provider = provider(api, &peer);
            let shown = provider.request(&turn);
            ask(&provider, &turn).0.unwrap_err();
            let received = &peer.received()[0];
            assert_eq!(received.body, shown.body);
            assert_eq!(format!("{}{}", peer.url(), received.path), shown.url);
            for (name, value) in &shown.headers {
                assert_eq!(
                    received.header(name),
                    Some(value.replace("[redacted]", SECRET).as_str()),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn what_is_shown_never_holds_the_key() {
    for api in [Api::OpenAi, Api::Anthropic, Api::Gemini] {
        let provider = Provider::new(api, "http://127.0.0.1:1", "m", options()).unwrap();
        let shown = format!("{:?} {provider:?}", provider.request(&turn()));
        assert!(!shown.contains(SECRET), "{shown}");
        assert!(shown.contains("[redacted]"));
    }
}
