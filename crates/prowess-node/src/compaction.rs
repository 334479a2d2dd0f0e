//! The class `Compaction`.

use std::sync::{Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use prowess::json;
use prowess::messages::{Conversation, Plan};
use serde_json::Value as Json;

use crate::convert::{Failure, from_json, not_new, usage};
use crate::job::done;
use crate::ledger::Ledger;
use crate::options::Options;

/// A planned compaction. The ledger and the messages are as they were until it is applied.
#[napi]
#[derive(Debug)]
pub struct Compaction {
    ledger: Ledger,
    report: Json,
    leaving: Json,
    unapplied: Mutex<Option<(Conversation, Plan)>>,
}

#[napi]
impl Compaction {
    /// Compactions come from `ledger.planCompaction`.
    #[napi(constructor, ts_args_type = "none: never")]
    pub fn none(env: &Env) -> napi::Result<Self> {
        Err(not_new(env, "compactions come from `ledger.planCompaction`"))
    }

    /// What to tell the summariser: which texts come back word by word and need no summary. Empty if there are none.
    #[napi(getter)]
    pub fn hint(&self) -> &str {
        self.report["hint"].as_str().unwrap_or_default()
    }

    /// The messages that leave: what the summary is of.
    #[napi(getter, ts_return_type = "any[]")]
    pub fn leaving<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        from_json(env, &self.leaving)
    }

    /// The ids of the skills whose bodies come back.
    #[napi(getter, ts_return_type = "string[]")]
    pub fn reattached<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        from_json(env, &self.report["reattached"])
    }

    /// The ids of the skills of which a line is left.
    #[napi(getter, ts_return_type = "string[]")]
    pub fn stubs<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        from_json(env, &self.report["stubs"])
    }

    /// Whether the catalog that `ledger.placeCatalog` spoke of leaves.
    #[napi(getter, ts_return_type = "boolean")]
    pub fn catalog_leaves<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        from_json(env, &self.report["catalog_leaves"])
    }

    /// What the bodies cost afterwards, in tokens: those that stay, and those that come back.
    #[napi(getter)]
    pub fn tokens(&self) -> f64 {
        let count = |key: &str| self.report[key].as_f64().unwrap_or_default();
        count("kept_tokens") + count("reattached_tokens")
    }

    /// The plan in the shape of `prowess compact --json`.
    #[napi(js_name = "toJSON", ts_return_type = "types.CompactionReport")]
    pub fn to_json<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        from_json(env, &self.report)
    }

    /// The shorter conversation, in the form it was given in, and one that its provider accepts. Tells the ledger.
    #[napi(
        ts_generic_types = "T = any[]",
        ts_args_type = "options?: { summary?: string }",
        ts_return_type = "T"
    )]
    pub fn apply<'env>(&self, env: &'env Env, options: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        done(env, self.applied(env, options))
    }
}

impl Compaction {
    pub(crate) fn new(ledger: Ledger, conversation: Conversation, plan: Plan) -> Self {
        let report = json::compaction(plan.compaction());
        let leaving = conversation.leaving(&plan).into();
        Self { ledger, report, leaving, unapplied: Mutex::new(Some((conversation, plan))) }
    }

    fn applied(&self, env: &Env, options: Unknown<'_>) -> Result<Json, Failure> {
        let options = Options::read(env, options, &["summary"])?;
        let summary = options.text("summary")?.unwrap_or_default();
        let unapplied = self.unapplied.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (conversation, plan) =
            unapplied.ok_or_else(|| usage("the compaction has been applied already"))?;
        Ok(conversation.rewrite(plan, summary).commit(&mut self.ledger.lock()))
    }
}
