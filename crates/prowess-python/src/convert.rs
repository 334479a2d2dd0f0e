//! What Python gives, as the core takes it; and the core's errors as exceptions.

use std::path::{Path, PathBuf};

use prowess::scope::{self, ENTERPRISE_DIRECTORY, Places, Roots};
use prowess::source::ScanOptions;
use prowess::trust::{STORE_FILE, Trust};
use prowess::{CatalogOptions, Error, ErrorKind, LoadOptions, Policy};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use serde_json::Value;

/// An error as the exception that `prowess.errors` has for its code.
pub(crate) fn raised(error: &Error) -> PyErr {
    let (code, message, candidates) = (error.kind().as_str(), error.to_string(), error.candidates());
    Python::attach(|py| {
        let errors = py.import("prowess.errors").and_then(|errors| errors.getattr("of"));
        match errors.and_then(|of| of.call1((code, message, candidates.to_vec()))) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}

pub(crate) fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}

pub(crate) fn parsed(text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|error| usage(format!("not to be read as JSON: {error}")))
}

/// The value of an argument; a wrong one is an exception that names it.
pub(crate) fn argument<'py, T: FromPyObjectOwned<'py>>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<T> {
    value.extract().map_err(|error: T::Error| {
        let error: PyErr = error.into();
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            return raised(&usage(format!("`{name}`: a number is negative, or too large")));
        }
        PyTypeError::new_err(format!("`{name}`: {}", error.value(value.py())))
    })
}

macro_rules! arguments {
    ($arguments:ident { $($name:ident),+ }) => {
        impl<'py> FromPyObject<'_, 'py> for $arguments {
            type Error = PyErr;

            fn extract(arguments: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                Ok(Self { $($name: argument(&arguments.get_item(stringify!($name))?, stringify!($name))?),+ })
            }
        }
    };
}

arguments!(Where { project, home, enterprise, roots, preset, folders, builtin });
arguments!(How { disable, policy, trust, max_depth, max_directories, max_body });
arguments!(Section { budget, cap, floor, format, style, pins });

/// Where to look.
pub(crate) struct Where {
    project: Option<PathBuf>,
    home: Option<PathBuf>,
    enterprise: Option<PathBuf>,
    roots: Option<Vec<(String, PathBuf)>>,
    preset: String,
    folders: Vec<PathBuf>,
    builtin: Vec<PathBuf>,
}

impl Where {
    pub(crate) fn home(&self) -> Result<PathBuf, Error> {
        self.home.as_deref().map_or_else(|| Ok(home()), absolute)
    }

    pub(crate) fn roots(self) -> Result<Roots, Error> {
        let home = self.home()?;
        let project = absolute(self.project.as_deref().unwrap_or(Path::new(".")))?;
        let enterprise = self.enterprise.as_deref().unwrap_or(Path::new(ENTERPRISE_DIRECTORY));
        let mut places = Places::new(project, home).enterprise(absolute(enterprise)?);
        for directory in &self.builtin {
            places = places.builtin(absolute(directory)?);
        }
        let places = self.folders.into_iter().fold(places, Places::folder);
        let preset = self.preset.parse()?;
        let Some(given) = self.roots else {
            return Ok(Roots::preset(preset, &places));
        };
        given.into_iter().try_fold(Roots::within(&places), |roots, (label, directory)| {
            roots.with_label(&label, absolute(&directory)?)
        })
    }
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let current = std::env::current_dir().map_err(|error| Error::io(".", error))?;
    scope::absolute(path, &current)
}

/// The user's home; empty if the system knows none.
pub(crate) fn home() -> PathBuf {
    std::env::home_dir().filter(|home| home.is_absolute()).unwrap_or_default()
}

/// How to load.
pub(crate) struct How {
    disable: Vec<String>,
    policy: String,
    trust: Vec<String>,
    max_depth: Option<usize>,
    max_directories: Option<usize>,
    max_body: Option<u64>,
}

impl How {
    /// The options; what the user has allowed is kept in the home.
    pub(crate) fn options(&self, home: &Path) -> Result<LoadOptions, Error> {
        let scan = self.max_depth.into_iter().fold(ScanOptions::default(), ScanOptions::max_depth);
        let scan = self.max_directories.into_iter().fold(scan, ScanOptions::max_directories);
        let policy = Policy::new().hide(&self.disable)?.rules(&parsed(&self.policy)?)?;
        let trust = Trust::read(&self.trust, &home.join(STORE_FILE))?;
        let options = LoadOptions::new().scan(scan).policy(policy.trust(trust));
        Ok(self.max_body.into_iter().fold(options, LoadOptions::max_body))
    }
}

/// What a catalog is to be.
pub(crate) struct Section {
    budget: Option<usize>,
    cap: Option<usize>,
    floor: Option<usize>,
    format: String,
    style: String,
    pins: Vec<String>,
}

impl Section {
    pub(crate) fn options(self) -> Result<CatalogOptions, Error> {
        let options = CatalogOptions::new().format(self.format.parse()?).style(self.style.parse()?);
        let options = self.budget.into_iter().fold(options, CatalogOptions::budget);
        let options = self.cap.into_iter().fold(options, CatalogOptions::cap);
        let options = self.floor.into_iter().fold(options, CatalogOptions::floor);
        Ok(self.pins.into_iter().fold(options, CatalogOptions::pin))
    }
}
