//! Values of JavaScript as JSON, JSON as values of JavaScript, and exceptions.
//!
//! What a caller passes crosses as what `JSON.stringify` makes of it. Getters, proxies and `toJSON` run there, before the
//! core is called and with no lock held; what they throw is thrown on.

use std::path::Path;

use napi::bindgen_prelude::{FromNapiValue, Function, JsObjectValue, JsValuesTupleIntoVec, Object, Unknown};
use napi::{Env, JsError, JsValue};
use prowess::{Error, ErrorKind};
use serde_json::Value as Json;

/// Why a call fails: by an exception of JavaScript's, or by an error of the core's.
#[derive(Debug)]
pub enum Failure {
    Thrown(napi::Error),
    Core(Error),
}

impl From<napi::Error> for Failure {
    fn from(error: napi::Error) -> Self {
        Self::Thrown(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

/// An error about what a caller passed.
pub(crate) fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}

/// A value as JSON; none if it is `undefined`, or has no JSON.
pub(crate) fn to_json(env: &Env, value: Unknown<'_>) -> Result<Option<Json>, Failure> {
    let text: Option<String> = builtin(env, "JSON", "stringify")?.call(value)?;
    text.map(|text| Ok(serde_json::from_str(&text).map_err(|error| no_json(&text, &error))?)).transpose()
}

/// Says where a text of `JSON.stringify` can't be read, and why.
fn no_json(text: &str, error: &serde_json::Error) -> Error {
    let read = serde_path_to_error::deserialize::<_, Json>(&mut serde_json::Deserializer::from_str(text));
    let place = read.err().map(|error| error.path().to_string()).filter(|place| place != ".");
    let place = place.map_or_else(|| "the value".to_owned(), |place| format!("`{place}`"));
    let why = error.to_string();
    if why.contains("hex escape") {
        return usage(format!("{place} has a lone surrogate: a text was cut within a character"));
    }
    usage(format!("{place} is no JSON: {why}"))
}

/// A new value for JavaScript.
pub(crate) fn from_json<'env>(env: &'env Env, json: &Json) -> napi::Result<Unknown<'env>> {
    builtin(env, "JSON", "parse")?.call(json.to_string())
}

/// A text; `what` is what a message calls it.
pub(crate) fn text(env: &Env, value: Unknown<'_>, what: &str) -> Result<String, Failure> {
    match to_json(env, value)? {
        Some(Json::String(text)) => Ok(text),
        _ => Err(usage(format!("{what} must be a string")).into()),
    }
}

/// A path. A `URL` arrives as its text, which would be taken for a path in the working directory.
pub(crate) fn path(text: &str) -> Result<&Path, Error> {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    if scheme.is_some_and(|scheme| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())) {
        return Err(usage(format!("`{text}` is a URL; `fileURLToPath` makes a path of one")));
    }
    Ok(Path::new(text))
}

/// A function that JavaScript brings along.
pub(crate) fn builtin<'env, A, R>(
    env: &'env Env,
    object: &str,
    name: &str,
) -> napi::Result<Function<'env, A, R>>
where
    A: JsValuesTupleIntoVec,
    R: FromNapiValue,
{
    env.get_global()?.get_named_property_unchecked::<Object<'_>>(object)?.get_named_property(name)
}

/// The exception for a failure.
pub(crate) fn thrown(env: &Env, failure: Failure) -> napi::Error {
    match failure {
        Failure::Thrown(error) => error,
        Failure::Core(error) => exception(env, &error),
    }
}

/// The exception for `new` where a class is not made by it.
pub(crate) fn not_new(env: &Env, message: &str) -> napi::Error {
    exception(env, &usage(message))
}

/// The exception for an error of the core's: it has its `code`, and what could have been meant as `candidates`.
pub(crate) fn exception(env: &Env, error: &Error) -> napi::Error {
    let thrown = JsError::from(napi::Error::new(error.kind().as_str(), error.to_string())).into_unknown(*env);
    let object = thrown.coerce_to_object();
    match object.and_then(|mut object| object.set("candidates", error.candidates().to_vec())) {
        Ok(()) => thrown.into(),
        Err(error) => error,
    }
}
