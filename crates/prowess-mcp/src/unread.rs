//! Requests that the SDK could not read, and took for methods of others.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, CustomRequest, ErrorCode, GetPromptRequestParams,
    GetSkillRequestParams, InitializeRequestParams, ProtocolVersion, ReadResourceDirectoryRequestParams,
    ReadResourceRequestParams, SubscribeRequestParams, SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
};

/// Of a method that is served in this revision, what is wrong with the parameters; of any other, that it is not known.
pub(crate) fn refusal(request: &CustomRequest, revision: Option<&ProtocolVersion>) -> ErrorData {
    let is_current = revision.is_some_and(|revision| *revision >= ProtocolVersion::V_2026_07_28);
    let method = request.method.as_str();
    let served = !matches!(
        (method, is_current),
        ("initialize" | "resources/subscribe" | "resources/unsubscribe", true)
            | ("subscriptions/listen", false)
    );
    match fault(request).filter(|_| served) {
        Some(fault) => {
            ErrorData::invalid_params(format!("the parameters of `{method}` are wrong: {fault}"), None)
        }
        None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None),
    }
}

/// What keeps parameters from being those of their method; `None` of a method that this server does not have.
fn fault(request: &CustomRequest) -> Option<String> {
    Some(match request.method.as_str() {
        "initialize" => said(request.params_as::<InitializeRequestParams>()),
        "tools/call" => said(request.params_as::<CallToolRequestParams>()),
        "prompts/get" => said(request.params_as::<GetPromptRequestParams>()),
        "completion/complete" => said(request.params_as::<CompleteRequestParams>()),
        "skills/get" => said(request.params_as::<GetSkillRequestParams>()),
        "resources/read" => said(request.params_as::<ReadResourceRequestParams>()),
        "resources/directory/read" => said(request.params_as::<ReadResourceDirectoryRequestParams>()),
        "resources/subscribe" => said(request.params_as::<SubscribeRequestParams>()),
        "resources/unsubscribe" => said(request.params_as::<UnsubscribeRequestParams>()),
        "subscriptions/listen" => said(request.params_as::<SubscriptionsListenRequestParams>()),
        _ => return None,
    })
}

fn said<T>(read: Result<Option<T>, serde_json::Error>) -> String {
    match read {
        Err(error) => error.to_string(),
        Ok(None) => "there are none".to_owned(),
        Ok(Some(_)) => "they are not of the protocol's form".to_owned(),
    }
}
