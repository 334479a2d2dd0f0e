//! What a browser asks for before a page may use the server. Which pages may, the SDK's check of the origin has decided.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderValue, ORIGIN, VARY,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};

/// The page that makes a request, and what it asks for.
#[derive(Debug)]
pub(crate) struct Page {
    origin: HeaderValue,
    /// Of a preflight, the headers that the page will send.
    preflight: Option<HeaderValue>,
}

impl Page {
    /// The page behind a request; none if no browser sends it.
    pub(crate) fn of<B>(request: &Request<B>) -> Option<Self> {
        let header = |name| request.headers().get(name).cloned();
        let is_preflight =
            request.method() == Method::OPTIONS && header(ACCESS_CONTROL_REQUEST_METHOD).is_some();
        let headers = header(ACCESS_CONTROL_REQUEST_HEADERS).unwrap_or(HeaderValue::from_static(""));
        Some(Self { origin: header(ORIGIN)?, preflight: is_preflight.then_some(headers) })
    }

    /// Lets the page see the answer, if it was let in.
    pub(crate) fn let_in<B: Default>(self, mut response: Response<B>) -> Response<B> {
        if response.status() == StatusCode::FORBIDDEN {
            return response;
        }
        if let Some(headers) = self.preflight {
            response = Response::new(B::default());
            *response.status_mut() = StatusCode::NO_CONTENT;
            allow(response.headers_mut(), headers);
        }
        let exposed = HeaderValue::from_static("Mcp-Session-Id");
        response.headers_mut().insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.origin);
        response.headers_mut().insert(VARY, HeaderValue::from_static("Origin"));
        response
    }
}

fn allow(headers: &mut HeaderMap, wanted: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
}
