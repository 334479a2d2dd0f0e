//! A library, and what is asked of it.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use prowess::activate::Delivery;
use prowess::source::ByteRange;
use prowess::tokens::Estimate;
use prowess::tools::{self, Call};
use prowess::{Catalog, CatalogOptions, Error, Origin, catalog, json, lint, mention};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;

use crate::convert::{How, Section, Where, absolute, argument, home, parsed, raised, usage};
use crate::ledger::Ledger;

#[pyclass(frozen, module = "prowess._prowess")]
pub(crate) struct Library {
    pub(crate) core: prowess::Library,
    elapsed: Duration,
}

impl Library {
    /// Does something that takes a while, while other threads run.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl Send + FnOnce(&prowess::Library) -> Result<T, Error>,
    ) -> PyResult<T> {
        py.detach(|| question(&self.core)).map_err(|error| raised(&error))
    }

    fn loaded(
        py: Python<'_>,
        load: impl Send + FnOnce() -> Result<prowess::Library, Error>,
    ) -> PyResult<Self> {
        let start = Instant::now();
        let core = py.detach(load).map_err(|error| raised(&error))?;
        Ok(Self { core, elapsed: start.elapsed() })
    }
}

fn full_catalog(library: &prowess::Library) -> Catalog {
    Catalog::build(library, &CatalogOptions::new())
}

#[pymethods]
impl Library {
    #[staticmethod]
    fn load(py: Python<'_>, places: Where, how: How) -> PyResult<Self> {
        Self::loaded(py, || {
            let options = how.options(&places.home()?)?;
            Ok(prowess::Library::load(&places.roots()?, &options))
        })
    }

    #[staticmethod]
    fn load_path(py: Python<'_>, path: PathBuf, how: How) -> PyResult<Self> {
        Self::loaded(py, || prowess::Library::load_path(&absolute(&path)?, &how.options(&home())?))
    }

    fn reload(&self, py: Python<'_>) -> (Self, String) {
        let start = Instant::now();
        let reload = py.detach(|| self.core.reload());
        let report = json::reload(&reload).to_string();
        (Self { core: reload.library, elapsed: start.elapsed() }, report)
    }

    fn listing(&self, py: Python<'_>) -> String {
        py.detach(|| json::list(&self.core, &full_catalog(&self.core), self.elapsed).to_string())
    }

    fn catalog(&self, py: Python<'_>, section: Section) -> PyResult<String> {
        self.ask(py, |library| Ok(json::catalog(&Catalog::build(library, &section.options()?)).to_string()))
    }

    fn catalog_delta(&self, py: Python<'_>, earlier: &Self, section: Section) -> PyResult<String> {
        self.ask(py, |library| Ok(catalog::delta(&earlier.core, library, &section.options()?)))
    }

    fn summary(&self, py: Python<'_>) -> String {
        py.detach(|| full_catalog(&self.core).summary())
    }

    fn check(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let diagnostics = lint::check(&self.core, &full_catalog(&self.core));
            json::check(&diagnostics, self.core.scan().skill_files).to_string()
        })
    }

    fn why(&self, py: Python<'_>, name: String, section: Section) -> PyResult<String> {
        self.ask(py, |library| {
            let catalog = Catalog::build(library, &section.options()?);
            Ok(json::explanation(&library.why(&name, Some(&catalog))).to_string())
        })
    }

    fn frontmatter(&self, py: Python<'_>, name: String) -> PyResult<String> {
        self.ask(py, |library| {
            Ok(json::frontmatter(library.find(&name, Origin::User)?.frontmatter()).to_string())
        })
    }

    fn readable_roots(&self) -> Vec<PathBuf> {
        self.core.readable_roots().map(PathBuf::from).collect()
    }

    fn mentions(&self, py: Python<'_>, prompt: String) -> String {
        py.detach(|| json::mentions(&mention::find(&self.core, &prompt), &prompt).to_string())
    }

    fn tools(&self, py: Python<'_>, shape: String) -> PyResult<String> {
        self.ask(py, |library| Ok(Value::from(tools::definitions(library, shape.parse()?)).to_string()))
    }

    fn resource<'py>(
        &self,
        py: Python<'py>,
        name: String,
        path: String,
        offset: &Bound<'py, PyAny>,
        length: &Bound<'py, PyAny>,
    ) -> PyResult<(String, Bound<'py, PyBytes>)> {
        let length: Option<_> = argument(length, "length")?;
        let range = ByteRange { offset: argument(offset, "offset")?, length: length.unwrap_or(u64::MAX) };
        let (shape, bytes) = self.ask(py, |library| {
            let skill = library.find(&name, Origin::User)?;
            let part = library.resource(skill, &path, range)?;
            Ok((json::resource(skill, &part).to_string(), part.bytes))
        })?;
        Ok((shape, PyBytes::new(py, &bytes)))
    }

    fn activate(
        &self,
        py: Python<'_>,
        name: String,
        origin: String,
        arguments: String,
        ledger: Option<&Bound<'_, Ledger>>,
        placement: Option<String>,
    ) -> PyResult<String> {
        let ledger = ledger.map(Bound::get);
        let delivery = self.ask(py, |library| {
            let request = library.activate(&name, origin.parse()?).with_arguments(&arguments);
            Ok(deliver(request, ledger, placement))
        })?;
        delivery.error().map_or_else(|| Ok(shape(&delivery)), |error| Err(raised(error)))
    }

    fn request(&self, py: Python<'_>, call: String) -> PyResult<Option<Request>> {
        self.ask(py, |library| {
            let call = Call::read(&parsed(&call)?)?;
            let request = library.request(&call.tool, &call.arguments);
            Ok(request.map(|request| Request {
                skill: request.skill().map(|skill| skill.id().to_owned()),
                call,
                unanswered: Mutex::new(Some(request)),
            }))
        })
    }
}

fn shape(delivery: &Delivery) -> String {
    json::delivery(delivery, &Estimate).to_string()
}

fn deliver(
    request: prowess::activate::Request,
    ledger: Option<&Ledger>,
    placement: Option<String>,
) -> Delivery {
    request.deliver_into(ledger.map(Ledger::lock).as_deref_mut(), placement)
}

#[pyclass(frozen, module = "prowess._prowess")]
pub(crate) struct Request {
    #[pyo3(get)]
    skill: Option<String>,
    call: Call,
    unanswered: Mutex<Option<prowess::activate::Request>>,
}

impl Request {
    fn take(&self) -> PyResult<prowess::activate::Request> {
        let request = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner).take();
        request.ok_or_else(|| raised(&usage("the request has been answered already")))
    }
}

#[pymethods]
impl Request {
    fn deliver(
        &self,
        py: Python<'_>,
        ledger: Option<&Bound<'_, Ledger>>,
        placement: Option<String>,
    ) -> PyResult<String> {
        let placement = ledger.map(|_| self.call.placement(placement)).transpose();
        let placement = placement.map_err(|error| raised(&error))?;
        let (request, ledger) = (self.take()?, ledger.map(Bound::get));
        Ok(py.detach(|| shape(&deliver(request, ledger, placement))))
    }

    fn deny(&self, reason: String) -> PyResult<String> {
        Ok(shape(&self.take()?.deny(reason)))
    }
}
