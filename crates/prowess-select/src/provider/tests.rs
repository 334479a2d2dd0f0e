use std::ops::ControlFlow;
use std::time::Duration;

use prowess_testkit::peer::{Peer, Response};
use serde_json::{Value, json};

use super::*;
use crate::model::{Delta, Form, Message, Stop, Tool, ToolCall, Usage};

mod bad;
mod shapes;

const SECRET: &str = "sk-very-secret";

fn options() -> ProviderOptions {
    ProviderOptions::new().pause(Duration::ZERO).timeout(Duration::from_secs(10)).key(Key::new(SECRET))
}

fn provider(api: Api, peer: &Peer) -> Provider {
    Provider::new(api, peer.url(), "the-model", options()).unwrap()
}

/// A conversation in which everything occurs once: a body that the user asked for, a call, its result, a tool.
fn turn() -> Turn {
    let mut call = ToolCall::new("call-1", "activate_skill", r#"{"name": "pdf"}"#);
    call.signature = Some("signed".to_owned());
    let reply = Reply::new("I look it up.").with_call(call);
    let schema = json!({"type": "object", "properties": {"name": {"type": "string", "enum": ["pdf"]}}, "required": ["name"]});
    let mut turn = Turn::new("You are an agent.")
        .with_user("message-1", "<skill_content name=\"pdf\">Fill.</skill_content>")
        .with_user("message-2", "Fill in form.pdf.");
    turn.messages.push(Message::Assistant(reply));
    turn.messages.push(Message::ToolResult {
        id: "call-1".to_owned(),
        tool: "activate_skill".to_owned(),
        text: "It is here already.".to_owned(),
    });
    turn.tools.push(Tool::new("activate_skill", "Loads a skill.", schema));
    turn
}

fn choice() -> Turn {
    let mut turn = Turn::new("Choose.").with_user("message-1", "Request: x");
    turn.form = Form::Json(json!({
        "type": "object", "properties": {"skill": {"type": "string", "enum": ["pdf", "none"]}},
        "required": ["skill"], "additionalProperties": false,
    }));
    turn
}

/// The answer to a turn, and the text as it arrived.
fn ask(provider: &Provider, turn: &Turn) -> (Result<Reply, Error>, String) {
    let mut heard = String::new();
    let reply = provider.reply(turn, &mut |delta| {
        if let Delta::Text(text) = delta {
            heard.push_str(text);
        }
        ControlFlow::Continue(())
    });
    (reply, heard)
}

fn reply(text: &str, calls: &[(&str, &str, &str)], usage: (u64, u64)) -> Reply {
    let mut reply = Reply::new(text);
    reply.calls = calls.iter().map(|(id, tool, arguments)| ToolCall::new(*id, *tool, *arguments)).collect();
    reply.usage = Usage::new(usage.0, usage.1);
    reply
}

#[track_caller]
fn check(api: Api, events: &[&str], turn: &Turn, expected: &Reply) {
    let events: Vec<String> = events.iter().map(|&event| event.to_owned()).collect();
    let peer =
        Peer::start(move |_, _| Response::events(&events.iter().map(String::as_str).collect::<Vec<_>>()));
    let (reply, heard) = ask(&provider(api, &peer), turn);
    let reply = reply.unwrap();
    assert_eq!(reply, *expected);
    if turn.form == Form::Free {
        assert_eq!(heard, expected.text);
    }
}

#[test]
fn openai_answers_are_put_together() {
    let parts = [
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}"#,
        r#"{"choices":[{"delta":{"content":"I look "}}]}"#,
        r#"{"choices":[{"delta":{"content":"it up."}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"activate_skill","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"name\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":" \"pdf\"}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"other","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20}}"#,
        "[DONE]",
    ];
    let calls = [("a", "activate_skill", r#"{"name": "pdf"}"#), ("b", "other", "{}")];
    check(Api::OpenAi, &parts, &turn(), &reply("I look it up.", &calls, (100, 20)));
}

#[test]
fn calls_without_an_index_or_with_the_same_one_are_kept_apart() {
    let one =
        |more: &str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{more}]}},"finish_reason":null}}]}}"#);
    let end = r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#;
    for index in ["", r#""index":0,"#] {
        let first = one(&format!(r#"{{{index}"id":"a","function":{{"name":"x","arguments":"{{}}"}}}}"#));
        let second = one(&format!(r#"{{{index}"id":"b","function":{{"name":"y","arguments":{{"n":1}}}}}}"#));
        let expected = reply("", &[("a", "x", "{}"), ("b", "y", r#"{"n":1}"#)], (0, 0));
        check(Api::OpenAi, &[&first, &second, end], &turn(), &expected);
    }
}

#[test]
fn an_answer_that_is_no_stream_is_read_whole() {
    let peer = Peer::start(|_, _| {
        Response::json(
            200,
            r#"{"choices":[{"message":{"content":"Done."},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#,
        )
    });
    assert_eq!(ask(&provider(Api::OpenAi, &peer), &turn()).0, Ok(reply("Done.", &[], (1, 2))));
}

#[test]
fn anthropic_answers_are_put_together() {
    let parts = [
        r#"{"type":"message_start","message":{"usage":{"input_tokens":40,"cache_read_input_tokens":60,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I look it up."}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"activate_skill","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"name\":"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" \"pdf\"}"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let calls = [("a", "activate_skill", r#"{"name": "pdf"}"#)];
    check(Api::Anthropic, &parts, &turn(), &reply("I look it up.", &calls, (100, 20)));
}

#[test]
fn anthropic_gives_what_a_schema_asks_for_by_a_tool() {
    let parts = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"answer","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"skill\": \"pdf\"}"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    check(Api::Anthropic, &parts, &choice(), &reply(r#"{"skill": "pdf"}"#, &[], (0, 0)));
}

#[test]
fn gemini_answers_are_put_together() {
    let parts = [
        r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I look "}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"it up."},{"functionCall":{"name":"activate_skill","args":{"name":"pdf"}},"thoughtSignature":"signed"}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":15,"thoughtsTokenCount":5}}"#,
    ];
    let mut expected = reply("I look it up.", &[("", "activate_skill", r#"{"name":"pdf"}"#)], (100, 20));
    expected.calls[0].signature = Some("signed".to_owned());
    check(Api::Gemini, &parts, &turn(), &expected);
}

#[test]
fn what_was_cut_or_refused_says_so() {
    let stop = |api, event: &str, stop| {
        let mut expected = Reply::new("");
        expected.stop = stop;
        let end = r#"{"type":"message_stop"}"#;
        let events: &[&str] = if api == Api::Anthropic { &[event, end] } else { &[event] };
        check(api, events, &turn(), &expected);
    };
    stop(Api::OpenAi, r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#, Stop::Length);
    stop(Api::OpenAi, r#"{"choices":[{"delta":{"refusal":"no"},"finish_reason":"stop"}]}"#, Stop::Refusal);
    stop(Api::Anthropic, r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#, Stop::Length);
    stop(Api::Anthropic, r#"{"type":"message_delta","delta":{"stop_reason":"refusal"}}"#, Stop::Refusal);
    stop(Api::Gemini, r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#, Stop::Length);
    stop(Api::Gemini, r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#, Stop::Refusal);
}
