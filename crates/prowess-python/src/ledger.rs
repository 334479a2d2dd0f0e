//! A ledger, and the plan of a compaction.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess::compact::Budget;
use prowess::ledger::{Inherit, ReadRange, Snapshot, Texts};
use prowess::messages::{self, Conversation, Held, KEPT_TOKENS};
use prowess::tokens::Estimate;
use prowess::tools::Shape;
use prowess::{Error, json};
use pyo3::prelude::*;
use serde_json::Value;

use crate::convert::{argument, parsed, raised, usage};
use crate::library::Library;

#[pyclass(frozen, module = "prowess._prowess")]
pub(crate) struct Ledger(Mutex<prowess::Ledger>);

fn shaped(shape: Option<&str>) -> Result<Option<Shape>, Error> {
    shape.map(str::parse).transpose()
}

fn held(present: &str, shape: Option<&str>) -> Result<Held, Error> {
    Held::read(parsed(present)?, shaped(shape)?)
}

impl Ledger {
    fn new(ledger: prowess::Ledger) -> Self {
        Self(Mutex::new(ledger))
    }

    /// Only a detached thread may wait here: see the crate's documentation.
    pub(crate) fn lock(&self) -> MutexGuard<'_, prowess::Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T: Send>(&self, py: Python<'_>, act: impl Send + FnOnce(&mut prowess::Ledger) -> T) -> T {
        py.detach(|| act(&mut self.lock()))
    }

    fn try_with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl Send + FnOnce(&mut prowess::Ledger) -> Result<T, Error>,
    ) -> PyResult<T> {
        self.with(py, act).map_err(|error| raised(&error))
    }
}

#[pymethods]
impl Ledger {
    #[new]
    fn empty() -> Self {
        Self::new(prowess::Ledger::new())
    }

    fn reconcile(&self, py: Python<'_>, present: String, shape: Option<String>) -> PyResult<()> {
        self.try_with(py, |ledger| {
            ledger.reconcile(held(&present, shape.as_deref())?.present());
            Ok(())
        })
    }

    fn plan_compaction(
        slf: &Bound<'_, Self>,
        messages: String,
        shape: Option<String>,
        budget: &Bound<'_, PyAny>,
        keep: &Bound<'_, PyAny>,
        cut: &Bound<'_, PyAny>,
    ) -> PyResult<Plan> {
        let budget = Budget::total(argument(budget, "budget")?);
        let (keep, cut): (Option<_>, Option<_>) = (argument(keep, "keep")?, argument(cut, "cut")?);
        let (conversation, plan) = slf.get().try_with(slf.py(), |ledger| {
            let conversation = Conversation::read(parsed(&messages)?, shaped(shape.as_deref())?)?;
            let cut = cut.unwrap_or_else(|| conversation.cut(keep.unwrap_or(KEPT_TOKENS)));
            let plan = conversation.plan(ledger, cut, budget);
            Ok((conversation, plan))
        })?;
        Ok(Plan {
            ledger: slf.clone().unbind(),
            report: json::compaction(plan.compaction()).to_string(),
            leaving: Value::from(conversation.leaving(&plan)).to_string(),
            unapplied: Mutex::new(Some((conversation, plan))),
        })
    }

    fn protected(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |ledger| ledger.protected().map(str::to_owned).collect())
    }

    fn session(&self, py: Python<'_>) -> String {
        self.with(py, |ledger| json::session(ledger, &Estimate).to_string())
    }

    fn finish(&self, py: Python<'_>, skill: String) -> bool {
        self.with(py, |ledger| ledger.finish(&skill))
    }

    fn deactivate(&self, py: Python<'_>, skill: String) -> Option<String> {
        self.with(py, |ledger| ledger.deactivate(&skill))
    }

    fn pin(&self, py: Python<'_>, skill: String) {
        self.with(py, |ledger| ledger.pin(skill));
    }

    fn unpin(&self, py: Python<'_>, skill: String) {
        self.with(py, |ledger| ledger.unpin(&skill));
    }

    fn forget(&self, py: Python<'_>, placement: String) {
        self.with(py, |ledger| ledger.forget(&placement));
    }

    fn relocate(&self, py: Python<'_>, placement: String, to: String) {
        self.with(py, |ledger| ledger.relocate(&placement, to));
    }

    fn place_catalog(&self, py: Python<'_>, placement: String) {
        self.with(py, |ledger| ledger.place_catalog(placement));
    }

    fn observe_read(
        &self,
        py: Python<'_>,
        library: &Library,
        path: PathBuf,
        placement: String,
        lines: &Bound<'_, PyAny>,
    ) -> PyResult<&'static str> {
        let range = argument::<Option<_>>(lines, "lines")?;
        let range = range.map_or(ReadRange::Whole, |(first, count)| ReadRange::Lines { first, count });
        Ok(self.with(py, |ledger| ledger.observe_read(&library.core, path, range, placement).as_str()))
    }

    fn pinned(&self, py: Python<'_>, budget: &Bound<'_, PyAny>) -> PyResult<String> {
        let budget = Budget::total(argument(budget, "budget")?);
        Ok(self.with(py, |ledger| {
            let compaction = ledger.pinned(budget);
            ledger.commit_text(compaction)
        }))
    }

    fn fork(&self, py: Python<'_>, inherit: String, budget: &Bound<'_, PyAny>) -> PyResult<(Self, String)> {
        let budget = argument::<Option<_>>(budget, "budget")?.map(Budget::total);
        let (child, text) = self.try_with(py, |ledger| {
            let inherit = Inherit::read(&inherit, budget)?;
            let (mut child, compaction) = ledger.fork(inherit);
            let text = child.commit_text(compaction);
            Ok((child, text))
        })?;
        Ok((Self::new(child), text))
    }

    fn snapshot(&self, py: Python<'_>, texts: bool) -> String {
        let texts = if texts { Texts::Included } else { Texts::LeftOut };
        self.with(py, |ledger| ledger.snapshot(texts)).to_json()
    }

    #[staticmethod]
    fn restore(
        py: Python<'_>,
        snapshot: String,
        library: &Library,
        present: Option<String>,
        shape: Option<String>,
    ) -> PyResult<(Self, String)> {
        let restore = || {
            let snapshot = Snapshot::from_json(&snapshot)?;
            let held = match present {
                Some(present) => held(&present, shape.as_deref())?,
                None => Held::from(&snapshot),
            };
            Ok(prowess::Ledger::restore(snapshot, &library.core, held.present()))
        };
        let (ledger, report) = py.detach(restore).map_err(|error: Error| raised(&error))?;
        Ok((Self::new(ledger), json::restored(&report).to_string()))
    }
}

#[pyclass(frozen, module = "prowess._prowess")]
pub(crate) struct Plan {
    ledger: Py<Ledger>,
    #[pyo3(get)]
    report: String,
    #[pyo3(get)]
    leaving: String,
    unapplied: Mutex<Option<(Conversation, messages::Plan)>>,
}

#[pymethods]
impl Plan {
    fn apply(&self, py: Python<'_>, summary: String) -> PyResult<String> {
        let unapplied = self.unapplied.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (conversation, plan) =
            unapplied.ok_or_else(|| raised(&usage("the compaction has been applied already")))?;
        let apply = |ledger: &mut prowess::Ledger| conversation.rewrite(plan, &summary).commit(ledger);
        Ok(self.ledger.get().with(py, apply).to_string())
    }
}
