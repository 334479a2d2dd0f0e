//! The class `Ledger`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::{AsyncTask, ClassInstance, Either, Object, Unknown};
use napi::{Env, JsValue};
use napi_derive::napi;
use prowess::compact::Budget;
use prowess::ledger::{Inherit, ReadRange, Snapshot, Texts};
use prowess::messages::{Conversation, Held, KEPT_TOKENS};
use prowess::tokens::Estimate;
use prowess::{Error, json};
use serde_json::Value as Json;

use crate::compaction::Compaction;
use crate::convert::{Failure, from_json, path, text, thrown, to_json, usage};
use crate::job::{Answer, Asked, Job, asked, done, later, now};
use crate::library::{Library, given};
use crate::options::Options;

/// The bodies that one session was given, and what has become of each.
///
/// Messages are those of a provider, in the form of OpenAI or Anthropic. Which it is shows in them; `format` says it where
/// it does not.
#[napi]
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<prowess::Ledger>>);

#[napi]
impl Ledger {
    /// The ledger of a session that begins.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says what the conversation holds now: to be called before each request to the model.
    ///
    /// `present` are its messages; or, for any other form, its placements, such as the ids of tool calls, each alone or
    /// with its text. A text without the whole body counts as gone.
    #[napi(ts_args_type = "present: types.Present, options?: types.FormatOptions")]
    pub fn reconcile(&self, env: &Env, present: Unknown<'_>, options: Unknown<'_>) -> napi::Result<()> {
        let options = Options::read(env, options, &["format"]);
        let held = options.and_then(|options| {
            Ok(Held::read(to_json(env, present)?.unwrap_or_default(), options.word("format")?)?)
        });
        let held = held.map_err(|failure| thrown(env, failure))?;
        self.lock().reconcile(held.present());
        Ok(())
    }

    /// Plans what leaves a conversation that has grown too long, and which bodies come back. Changes nothing yet.
    #[napi(ts_args_type = "messages: types.Messages, options: types.CompactionOptions")]
    pub fn plan_compaction(
        &self,
        env: &Env,
        messages: Unknown<'_>,
        options: Unknown<'_>,
    ) -> napi::Result<Compaction> {
        self.plan(env, messages, options).map_err(|failure| thrown(env, failure))
    }

    /// The placements that hold a body in force: what pruning must spare.
    #[napi(getter)]
    pub fn protected(&self) -> Vec<String> {
        self.lock().protected().map(str::to_owned).collect()
    }

    /// The skills of the session, the most recently used first.
    #[napi(getter, ts_return_type = "types.SessionSkill[]")]
    pub fn skills<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        from_json(env, &self.session()["skills"])
    }

    /// The session in the shape of `prowess session --json`.
    #[napi(js_name = "toJSON", ts_return_type = "types.Session")]
    pub fn to_json<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        from_json(env, &self.session())
    }

    /// Says that a skill, by its id, has served: the next compaction leaves a line of it. False if it is not in force.
    #[napi(ts_args_type = "skill: string")]
    pub fn finish(&self, env: &Env, skill: Unknown<'_>) -> napi::Result<bool> {
        self.with(env, skill, |ledger, skill| ledger.finish(skill))
    }

    /// Turns a skill off, by its id, until the user turns it on; returns a note to place, null if it is unknown.
    #[napi(ts_args_type = "skill: string")]
    pub fn deactivate(&self, env: &Env, skill: Unknown<'_>) -> napi::Result<Option<String>> {
        self.with(env, skill, |ledger, skill| ledger.deactivate(skill))
    }

    /// Puts a skill, by its id, first when a budget is short.
    #[napi(ts_args_type = "skill: string")]
    pub fn pin(&self, env: &Env, skill: Unknown<'_>) -> napi::Result<()> {
        self.with(env, skill, |ledger, skill| ledger.pin(skill))
    }

    /// Takes a pin back.
    #[napi(ts_args_type = "skill: string")]
    pub fn unpin(&self, env: &Env, skill: Unknown<'_>) -> napi::Result<()> {
        self.with(env, skill, |ledger, skill| ledger.unpin(skill))
    }

    /// Says that a text was never placed, such as the answer to a call that failed.
    #[napi(ts_args_type = "placement: string")]
    pub fn forget(&self, env: &Env, placement: Unknown<'_>) -> napi::Result<()> {
        self.with(env, placement, |ledger, placement| ledger.forget(placement))
    }

    /// Says that a text stands elsewhere than it was said to.
    #[napi(ts_args_type = "placement: string, to: string")]
    pub fn relocate(&self, env: &Env, placement: Unknown<'_>, to: Unknown<'_>) -> napi::Result<()> {
        let to = text(env, to, "the placement").map_err(|failure| thrown(env, failure))?;
        self.with(env, placement, |ledger, placement| ledger.relocate(placement, to))
    }

    /// Says that the catalog stands in a message: `compaction.catalogLeaves` then tells when it must go there again.
    #[napi(ts_args_type = "placement: string")]
    pub fn place_catalog(&self, env: &Env, placement: Unknown<'_>) -> napi::Result<()> {
        self.with(env, placement, |ledger, placement| ledger.place_catalog(placement))
    }

    /// Says that the model read a file by itself: all of it, or a number of `lines` from a first one, which is 1.
    #[napi(
        ts_args_type = "library: Library, path: string, options: types.ReadOptions",
        ts_return_type = "Promise<types.Observed>"
    )]
    pub fn observe_read(
        &self,
        env: &Env,
        library: Either<ClassInstance<'_, Library>, Unknown<'_>>,
        path: Unknown<'_>,
        options: Unknown<'_>,
    ) -> AsyncTask<Job<Json>> {
        later(self.observing(env, library, path, options))
    }

    /// `observeRead` on this thread.
    #[napi(
        ts_args_type = "library: Library, path: string, options: types.ReadOptions",
        ts_return_type = "types.Observed"
    )]
    pub fn observe_read_sync<'env>(
        &self,
        env: &'env Env,
        library: Either<ClassInstance<'_, Library>, Unknown<'_>>,
        path: Unknown<'_>,
        options: Unknown<'_>,
    ) -> napi::Result<Unknown<'env>> {
        now(env, self.observing(env, library, path, options))
    }

    /// Every body in force as one text, to place as a message of its own; for hosts that build their prompt anew for each
    /// request, or whose messages have another form.
    #[napi(ts_args_type = "options: { budget: number }", ts_return_type = "string")]
    pub fn pinned<'env>(&self, env: &'env Env, options: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        let budget = Options::read(env, options, &["budget"]).and_then(|options| Ok(budget(&options)?));
        done(
            env,
            budget.map(|budget| {
                let mut ledger = self.lock();
                let compaction = ledger.pinned(budget);
                Json::from(ledger.commit_text(compaction))
            }),
        )
    }

    /// The ledger of a child, and the text to place as a message of its own there; empty if nothing is inherited.
    ///
    /// What is off stays off; the child changes nothing here.
    #[napi(ts_args_type = "options?: types.ForkOptions", ts_return_type = "types.Fork")]
    pub fn fork<'env>(&self, env: &'env Env, options: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        done(env, self.forked(env, options))
    }

    /// The session as JSON text. Without `texts` it is small, and `restore` reads unchanged bodies anew.
    #[napi(ts_args_type = "options?: { texts?: boolean }", ts_return_type = "string")]
    pub fn snapshot<'env>(&self, env: &'env Env, options: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        let texts = Options::read(env, options, &["texts"]).and_then(|options| Ok(options.flag("texts")?));
        done(
            env,
            texts.map(|texts| {
                let texts = if texts == Some(false) { Texts::LeftOut } else { Texts::Included };
                Json::from(self.lock().snapshot(texts).to_json())
            }),
        )
    }

    /// Takes a session up, with what has become of each skill since.
    ///
    /// Unless `present` is given, what the conversation held then is taken to be there still.
    #[napi(
        ts_args_type = "snapshot: string, library: Library, options?: types.RestoreOptions",
        ts_return_type = "Promise<types.Restored>"
    )]
    pub fn restore(
        env: &Env,
        snapshot: Unknown<'_>,
        library: Either<ClassInstance<'_, Library>, Unknown<'_>>,
        options: Unknown<'_>,
    ) -> AsyncTask<Job<Session>> {
        later(restoring(env, snapshot, library, options))
    }

    /// `restore` on this thread.
    #[napi(
        ts_args_type = "snapshot: string, library: Library, options?: types.RestoreOptions",
        ts_return_type = "types.Restored"
    )]
    pub fn restore_sync<'env>(
        env: &'env Env,
        snapshot: Unknown<'_>,
        library: Either<ClassInstance<'_, Library>, Unknown<'_>>,
        options: Unknown<'_>,
    ) -> napi::Result<Unknown<'env>> {
        now(env, restoring(env, snapshot, library, options))
    }
}

/// The placement of a text that is a message of its own, such as one of the user.
#[napi(ts_args_type = "text: string")]
pub fn placement(env: &Env, text: Unknown<'_>) -> napi::Result<String> {
    let text = crate::convert::text(env, text, "the text").map_err(|failure| thrown(env, failure))?;
    Ok(prowess::messages::placement(&text))
}

impl Ledger {
    /// No JavaScript runs while it is locked.
    pub(crate) fn lock(&self) -> MutexGuard<'_, prowess::Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self) -> Json {
        json::session(&self.lock(), &Estimate)
    }

    fn with<T>(
        &self,
        env: &Env,
        about: Unknown<'_>,
        change: impl FnOnce(&mut prowess::Ledger, &str) -> T,
    ) -> napi::Result<T> {
        let about = text(env, about, "the argument").map_err(|failure| thrown(env, failure))?;
        Ok(change(&mut self.lock(), &about))
    }

    fn plan(&self, env: &Env, messages: Unknown<'_>, options: Unknown<'_>) -> Result<Compaction, Failure> {
        let options = Options::read(env, options, &["budget", "keep", "cut", "format"])?;
        let (budget, keep) = (budget(&options)?, options.number("keep")?.unwrap_or(KEPT_TOKENS));
        let messages = to_json(env, messages)?.unwrap_or_default();
        let conversation = Conversation::read(messages, options.word("format")?)?;
        let cut = options.number("cut")?.unwrap_or_else(|| conversation.cut(keep));
        let plan = conversation.plan(&self.lock(), cut, budget);
        Ok(Compaction::new(self.clone(), conversation, plan))
    }

    fn observing(
        &self,
        env: &Env,
        library: Either<ClassInstance<'_, Library>, Unknown<'_>>,
        file: Unknown<'_>,
        options: Unknown<'_>,
    ) -> Asked<Json> {
        let (library, file) = (given(library)?, text(env, file, "the path")?);
        let options = Options::read(env, options, &["placement", "lines"])?;
        let ledger = self.clone();
        asked(move || {
            let lines = options
                .get("lines", "a pair: the first line, and how many", lines)?
                .unwrap_or(ReadRange::Whole);
            let placement = options.text("placement")?.ok_or_else(|| usage("a `placement` is missing"))?;
            let observed = ledger.lock().observe_read(&library, path(&file)?, lines, placement);
            Ok(observed.as_str().into())
        })
    }

    fn forked(&self, env: &Env, options: Unknown<'_>) -> Result<Session, Failure> {
        let options = Options::read(env, options, &["inherit", "budget"])?;
        let budget = options.number("budget")?.map(Budget::total);
        let inherit = Inherit::read(options.text("inherit")?.unwrap_or("nothing"), budget)?;
        let (mut child, compaction) = self.lock().fork(inherit);
        let text = child.commit_text(compaction);
        Ok(Session { ledger: child, key: "text", value: text.into() })
    }
}

fn budget(options: &Options) -> Result<Budget, Error> {
    let tokens = options.number("budget")?;
    tokens.map(Budget::total).ok_or_else(|| usage("a `budget` is missing: what bodies may cost, in tokens"))
}

fn lines(pair: &Json) -> Option<ReadRange> {
    match pair.as_array()?.as_slice() {
        [first, count] => Some(ReadRange::Lines { first: first.as_u64()?, count: count.as_u64()? }),
        _ => None,
    }
}

fn restoring(
    env: &Env,
    snapshot: Unknown<'_>,
    library: Either<ClassInstance<'_, Library>, Unknown<'_>>,
    options: Unknown<'_>,
) -> Asked<Session> {
    let (snapshot, library) = (text(env, snapshot, "the snapshot")?, given(library)?);
    let options = Options::read(env, options, &["present", "format"])?;
    asked(move || {
        let snapshot = Snapshot::from_json(&snapshot)?;
        let held = match options.json("present") {
            Some(present) => Held::read(present.clone(), options.word("format")?)?,
            None => Held::from(&snapshot),
        };
        let (ledger, report) = prowess::Ledger::restore(snapshot, &library, held.present());
        Ok(Session { ledger, key: "skills", value: json::restored(&report) })
    })
}

/// A new ledger, with what is said of it beside it.
#[derive(Debug)]
pub struct Session {
    ledger: prowess::Ledger,
    key: &'static str,
    value: Json,
}

impl Answer for Session {
    fn into_js(self, env: &Env) -> napi::Result<Unknown<'_>> {
        let mut answer = Object::new(env)?;
        answer.set("ledger", Ledger(Arc::new(Mutex::new(self.ledger))))?;
        answer.set(self.key, from_json(env, &self.value)?)?;
        Ok(answer.to_unknown())
    }
}
