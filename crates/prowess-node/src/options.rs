//! The options of a call.

use std::str::FromStr;

use napi::bindgen_prelude::{ClassInstance, Either, FnArgs, JsObjectValue, Object, Unknown};
use napi::{Env, JsValue, ValueType};
use prowess::Error;
use serde_json::{Map, Value as Json};

use crate::convert::{Failure, builtin, to_json, usage};
use crate::ledger::Ledger;

/// An object of options, each of them known by its name. One that is left out or `undefined` has its default.
pub(crate) struct Options(Map<String, Json>);

impl Options {
    /// Reads the options; `undefined` are none.
    pub(crate) fn read(env: &Env, value: Unknown<'_>, known: &[&str]) -> Result<Self, Failure> {
        if value.get_type()? == ValueType::Undefined {
            return Ok(Self(Map::new()));
        }
        let Some(Json::Object(options)) = to_json(env, value)? else {
            return Err(usage("the options must be an object").into());
        };
        match options.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                Err(usage(format!("there is no option `{key}`; there are {}", known.join(", "))).into())
            }
            None => Ok(Self(options)),
        }
    }

    /// Reads options beside a `ledger`, which is no JSON.
    pub(crate) fn with_ledger(
        env: &Env,
        value: Unknown<'_>,
        known: &[&str],
    ) -> Result<(Self, Option<Ledger>), Failure> {
        if value.get_type()? != ValueType::Object || value.coerce_to_object()?.is_array()? {
            return Ok((Self::read(env, value, known)?, None));
        }
        // What is read from a copy is read once from the original.
        let assign = builtin(env, "Object", "assign")?;
        let mut copy: Object<'_> = assign.call(FnArgs::from((Object::new(env)?, value)))?;
        let ledger: Either<ClassInstance<'_, Ledger>, Unknown<'_>> = copy.get_named_property("ledger")?;
        let ledger = match ledger {
            Either::A(ledger) => Some(Ledger::clone(&ledger)),
            Either::B(value) if value.get_type()? == ValueType::Undefined => None,
            Either::B(_) => return Err(usage("`ledger` must be a `Ledger`").into()),
        };
        copy.delete_named_property("ledger")?;
        Ok((Self::read(env, copy.to_unknown(), known)?, ledger))
    }

    pub(crate) fn json(&self, key: &str) -> Option<&Json> {
        self.0.get(key)
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&str>, Error> {
        self.get(key, "a string", Json::as_str)
    }

    pub(crate) fn number(&self, key: &str) -> Result<Option<usize>, Error> {
        self.get(key, "a whole number, 0 or more", |value| usize::try_from(value.as_u64()?).ok())
    }

    pub(crate) fn flag(&self, key: &str) -> Result<Option<bool>, Error> {
        self.get(key, "true or false", Json::as_bool)
    }

    pub(crate) fn texts(&self, key: &str) -> Result<Vec<&str>, Error> {
        Ok(self.get(key, "an array of strings", texts)?.unwrap_or_default())
    }

    /// A choice, by its word.
    pub(crate) fn word<T: FromStr<Err = Error>>(&self, key: &str) -> Result<Option<T>, Error> {
        self.text(key)?.map(str::parse).transpose()
    }

    /// A value that has a form; `what` is what a message calls it.
    pub(crate) fn get<'a, T>(
        &'a self,
        key: &str,
        what: &str,
        read: impl FnOnce(&'a Json) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let value =
            self.0.get(key).map(|value| read(value).ok_or_else(|| usage(format!("`{key}` must be {what}"))));
        value.transpose()
    }
}

/// The texts of an array that holds nothing else.
fn texts(value: &Json) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Json::as_str).collect()
}
