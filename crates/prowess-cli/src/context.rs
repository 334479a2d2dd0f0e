//! The library that the options lead to, and what it takes to present it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess::tokens::Tokenizer;
use prowess::{Catalog, CatalogOptions, Library, LoadOptions};
use prowess_args::{Global, absolute};

use crate::failure::Failure;
use crate::output::{Output, YELLOW, safe};

pub(crate) struct Context {
    pub(crate) library: Library,
    pub(crate) elapsed: Duration,
    pub(crate) tokenizer: Arc<dyn Tokenizer>,
    project: PathBuf,
    home: PathBuf,
}

impl Context {
    pub(crate) fn load(global: &Global, output: &mut Output) -> Result<Self, Failure> {
        for place in global.missing() {
            output.note(&format!("{YELLOW}no directory{YELLOW:#}: {}", safe(&place.display().to_string())));
        }
        let roots = global.roots()?;
        Self::load_with(global, global.project()?, |options| Ok(Library::load(&roots, options)))
    }

    /// Loads what one path holds: a `SKILL.md`, a skill's directory, or a directory that is searched as a root.
    pub(crate) fn load_path(global: &Global, path: &Path) -> Result<Self, Failure> {
        let path = absolute(path)?;
        let project = absolute(Path::new("."))?;
        Self::load_with(global, project, |options| Ok(Library::load_path(&path, options)?))
    }

    fn load_with(
        global: &Global,
        project: PathBuf,
        load: impl FnOnce(&LoadOptions) -> Result<Library, Failure>,
    ) -> Result<Self, Failure> {
        let (options, home) = (global.load_options(global.max_depth)?, global.home()?);
        let start = Instant::now();
        let library = load(&options)?;
        let elapsed = start.elapsed();
        Ok(Self { library, elapsed, tokenizer: global.tokenizer(), project, home })
    }

    /// The catalog without a budget: what each skill costs.
    pub(crate) fn full_catalog(&self) -> Catalog {
        Catalog::build(&self.library, &self.catalog_options())
    }

    pub(crate) fn catalog_options(&self) -> CatalogOptions {
        CatalogOptions::new().tokenizer(self.tokenizer.clone())
    }

    #[cfg(feature = "select")]
    pub(crate) fn budgeted(&self, budget: Option<usize>) -> CatalogOptions {
        let options = self.catalog_options();
        match budget {
            Some(tokens) => options.budget(tokens),
            None => options,
        }
    }

    /// A path as a person reads it: relative to the project, or to the home.
    pub(crate) fn short_path(&self, path: &Path) -> String {
        if path == self.project {
            return ".".to_owned();
        }
        if let Ok(inside) = path.strip_prefix(&self.project) {
            return inside.display().to_string();
        }
        match path.strip_prefix(&self.home) {
            Ok(inside) if self.home.is_absolute() => Path::new("~").join(inside).display().to_string(),
            _ => path.display().to_string(),
        }
    }

    /// A name as the user typed it; what looks like a path becomes an absolute one.
    pub(crate) fn query(&self, name: &str) -> String {
        let is_path = name.contains(std::path::is_separator) || name == "." || name == "..";
        match std::path::absolute(name) {
            Ok(path) if is_path && path.exists() => path.to_string_lossy().into_owned(),
            _ => name.to_owned(),
        }
    }
}
