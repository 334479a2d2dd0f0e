//! The class `Request`.

use std::sync::{Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use prowess::activate::{self, Delivery};
use prowess::tokens::Estimate;
use prowess::tools::Call;
use prowess::{Error, json};
use serde_json::Value as Json;

use crate::convert::{Failure, not_new, text, to_json, usage};
use crate::job::{Asked, Job, asked, done, later, now};
use crate::ledger::Ledger;
use crate::options::Options;

/// A model's call for a body or a file of a skill. Nothing is read before it is delivered; it is answered once.
#[napi]
#[derive(Debug)]
pub struct Request {
    skill: Option<String>,
    call: Call,
    unanswered: Mutex<Option<activate::Request>>,
}

#[napi]
impl Request {
    /// Requests come from `library.request`.
    #[napi(constructor, ts_args_type = "none: never")]
    pub fn none(env: &Env) -> napi::Result<Self> {
        Err(not_new(env, "requests come from `library.request`"))
    }

    /// The id of the skill it is about; null if none is meant, or none that a model may have.
    #[napi(getter)]
    pub fn skill(&self) -> Option<&str> {
        self.skill.as_deref()
    }

    /// Reads what is wanted.
    #[napi(ts_args_type = "options?: types.DeliverOptions", ts_return_type = "Promise<types.Answer>")]
    pub fn deliver(&self, env: &Env, options: Unknown<'_>) -> AsyncTask<Job<Json>> {
        later(self.delivery(env, options))
    }

    /// `deliver` on this thread.
    #[napi(ts_args_type = "options?: types.DeliverOptions", ts_return_type = "types.Answer")]
    pub fn deliver_sync<'env>(&self, env: &'env Env, options: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        now(env, self.delivery(env, options))
    }

    /// Turns it down; the reason becomes text for the model.
    #[napi(ts_args_type = "reason: string", ts_return_type = "types.Answer")]
    pub fn deny<'env>(&self, env: &'env Env, reason: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        let denied = text(env, reason, "the reason").and_then(|reason| Ok(self.take()?.deny(reason)));
        done(env, denied.map(|denied| shape(&denied)))
    }
}

impl Request {
    /// Reads a tool call; none if the tool is not one of a library's.
    pub(crate) fn read(
        env: &Env,
        library: &prowess::Library,
        call: Unknown<'_>,
    ) -> Result<Option<Self>, Failure> {
        let call = Call::read(&to_json(env, call)?.unwrap_or_default())?;
        let request = library.request(&call.tool, &call.arguments);
        Ok(request.map(|request| Self {
            skill: request.skill().map(|skill| skill.id().to_owned()),
            call,
            unanswered: Mutex::new(Some(request)),
        }))
    }

    pub(crate) fn delivery(&self, env: &Env, options: Unknown<'_>) -> Asked<Json> {
        let (options, ledger) = Options::with_ledger(env, options, &["placement"])?;
        let placement = options.text("placement")?.map(str::to_owned);
        let placement = ledger.as_ref().map(|_| self.call.placement(placement)).transpose()?;
        let request = self.take()?;
        asked(move || Ok(shape(&deliver(request, ledger, placement))))
    }

    fn take(&self) -> Result<activate::Request, Error> {
        let request = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner).take();
        request.ok_or_else(|| usage("the request has been answered already"))
    }
}

/// Delivers into a session, or into none.
pub(crate) fn deliver(
    request: activate::Request,
    ledger: Option<Ledger>,
    placement: Option<String>,
) -> Delivery {
    request.deliver_into(ledger.as_ref().map(Ledger::lock).as_deref_mut(), placement)
}

pub(crate) fn shape(delivery: &Delivery) -> Json {
    json::delivery(delivery, &Estimate)
}
