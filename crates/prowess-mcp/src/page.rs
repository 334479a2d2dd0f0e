//! Pages of a list. A cursor names the last item of the page before, so that it holds whatever changes meanwhile.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// How many items a page has.
pub(crate) const PAGE: usize = 200;
/// What a cursor of this server begins with.
const AFTER: &str = "after:";

/// Cuts the page that a request asks for out of a list, and gives the cursor of the next one. `key` must be unique.
pub(crate) fn page<T>(
    mut items: Vec<T>,
    request: Option<PaginatedRequestParams>,
    key: impl Fn(&T) -> &str,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    items.sort_by(|one, other| key(one).cmp(key(other)));
    if let Some(after) = after(request)? {
        items.retain(|item| key(item) > after.as_str());
    }
    let next = items.get(PAGE - 1).filter(|_| items.len() > PAGE).map(|last| cursor(key(last)));
    items.truncate(PAGE);
    Ok((items, next))
}

/// The key of the last item of the page before the one that is asked for.
pub(crate) fn after(request: Option<PaginatedRequestParams>) -> Result<Option<String>, ErrorData> {
    let Some(cursor) = request.and_then(|request| request.cursor) else { return Ok(None) };
    cursor.strip_prefix(AFTER).map(|key| Some(key.to_owned())).ok_or_else(unknown)
}

/// Refuses to look for a further page of a list that is never cut.
pub(crate) fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(unknown()),
        None => Ok(()),
    }
}

fn unknown() -> ErrorData {
    ErrorData::invalid_params("the cursor is not one that this server gave", None)
}

/// The cursor of the page behind an item.
pub(crate) fn cursor(key: &str) -> String {
    format!("{AFTER}{key}")
}
