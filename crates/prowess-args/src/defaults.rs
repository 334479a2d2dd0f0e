//! The defaults that the core does not know: working directory, home, how tokens are counted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess::scope::{self, Places, Preset};
use prowess::source::ScanOptions;
use prowess::tokens::{Estimate, Tokenizer};
use prowess::{Error, ErrorKind, LoadOptions, Policy, Roots};

use crate::global::{Global, PresetArg, Tokens};

impl Global {
    /// The directory whose project skills count, absolute.
    ///
    /// # Errors
    /// If the option is empty, or the system can't tell the working directory.
    pub fn project(&self) -> Result<PathBuf, Error> {
        absolute(self.project.as_deref().unwrap_or(Path::new(".")))
    }

    /// The user's home, absolute; empty, and then no root is looked for in it, if the system knows none.
    ///
    /// # Errors
    /// If the option is empty.
    pub fn home(&self) -> Result<PathBuf, Error> {
        match &self.home {
            Some(home) => absolute(home),
            None => Ok(std::env::home_dir().filter(|home| home.is_absolute()).unwrap_or_default()),
        }
    }

    /// The directories among the options that are not there.
    pub fn missing(&self) -> impl Iterator<Item = &Path> {
        [&self.project, &self.home]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
            .filter(|place| !place.is_dir())
    }

    /// The roots that are searched.
    ///
    /// # Errors
    /// If an option is malformed.
    pub fn roots(&self) -> Result<Roots, Error> {
        let places = Places::new(self.project()?, self.home()?).enterprise(absolute(&self.enterprise)?);
        if self.roots.is_empty() {
            let preset = match self.preset {
                PresetArg::Agents => Preset::Agents,
                PresetArg::Claude => Preset::Claude,
            };
            return Ok(Roots::preset(preset, &places));
        }
        let mut roots = Roots::within(&places);
        for argument in &self.roots {
            let (scope, directory) = argument.split_once('=').ok_or_else(|| {
                usage(format!("`--root {argument}` has no `=`; write it as `--root SCOPE=DIR`"))
            })?;
            roots = roots.with_label(scope, absolute(Path::new(directory))?)?;
        }
        Ok(roots)
    }

    /// How a load searches, to this depth, and what it hides.
    ///
    /// # Errors
    /// If a pattern is malformed.
    pub fn load_options(&self, max_depth: usize) -> Result<LoadOptions, Error> {
        let scan = ScanOptions::default().max_depth(max_depth).max_directories(self.max_directories);
        let policy = Policy::new().hide(&self.disable)?.trust(self.trust()?);
        Ok(LoadOptions::new().scan(scan).policy(policy))
    }

    /// What counts tokens.
    #[must_use]
    pub fn tokenizer(&self) -> Arc<dyn Tokenizer> {
        match self.tokens {
            Tokens::Estimate => Arc::new(Estimate),
            Tokens::O200k => Arc::new(O200k),
        }
    }
}

/// The o200k vocabulary, which the program carries.
#[derive(Debug)]
struct O200k;

impl Tokenizer for O200k {
    fn count(&self, text: &str) -> usize {
        tiktoken::get_encoding("o200k_base")
            .map_or_else(|| Estimate.count(text), |vocabulary| vocabulary.count(text))
    }
}

/// The absolute path that is meant by one given in the working directory.
///
/// # Errors
/// If it is empty, or the system can't tell the working directory.
pub fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let current = std::env::current_dir()
        .map_err(|error| Error::new(ErrorKind::Io, format!("can't tell the working directory: {error}")))?;
    scope::absolute(path, &current)
}

fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}
