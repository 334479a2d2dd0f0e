//! Work that touches the disk: on the caller's thread, or as a promise on a thread of Node's pool.

use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi::{Env, ScopedTask};
use prowess::Error;
use serde_json::Value as Json;

use crate::convert::{Failure, from_json, thrown};

/// What work comes to, in JavaScript.
pub(crate) trait Answer: Send + 'static {
    fn into_js(self, env: &Env) -> napi::Result<Unknown<'_>>;
}

impl Answer for Json {
    fn into_js(self, env: &Env) -> napi::Result<Unknown<'_>> {
        from_json(env, &self)
    }
}

type Work<A> = Box<dyn FnOnce() -> Result<A, Error> + Send>;

/// Work whose arguments were read, or what was wrong with them.
pub(crate) type Asked<A> = Result<Work<A>, Failure>;

pub(crate) fn asked<A>(work: impl FnOnce() -> Result<A, Error> + Send + 'static) -> Asked<A> {
    Ok(Box::new(work))
}

/// Work on a thread of Node's pool.
#[expect(missing_debug_implementations, reason = "it holds a closure")]
pub struct Job<A>(Option<Asked<A>>);

impl<'task, A: Answer> ScopedTask<'task> for Job<A> {
    type Output = Result<A, Failure>;
    type JsValue = Unknown<'task>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let work = self.0.take().ok_or_else(|| napi::Error::from_reason("a job runs once"))?;
        Ok(work.and_then(|work| Ok(work()?)))
    }

    fn resolve(&mut self, env: &'task Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        done(env, output)
    }
}

/// A promise of what the work comes to. What was wrong with the arguments rejects it.
pub(crate) fn later<A: Answer>(work: Asked<A>) -> AsyncTask<Job<A>> {
    AsyncTask::new(Job(Some(work)))
}

/// What the work comes to, here and now.
pub(crate) fn now<A: Answer>(env: &Env, work: Asked<A>) -> napi::Result<Unknown<'_>> {
    done(env, work.and_then(|work| Ok(work()?)))
}

/// What was come to, in JavaScript.
pub(crate) fn done<A: Answer>(env: &Env, answer: Result<A, Failure>) -> napi::Result<Unknown<'_>> {
    answer.map_err(|failure| thrown(env, failure))?.into_js(env)
}
