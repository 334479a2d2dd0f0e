//! The library that the options lead to, and what it takes to present it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess::files::SKILL_FILE;
use prowess::tokens::Tokenizer;
use prowess::{Catalog, CatalogOptions, Library, Roots};
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
        Self::from_roots(global, &global.roots()?, global.max_depth, global.project()?)
    }

    /// Loads what one path holds: a `SKILL.md`, a skill's directory, or a directory that is searched as a root.
    pub(crate) fn load_path(global: &Global, path: &Path) -> Result<Self, Failure> {
        let path = absolute(path)?;
        let kind = path
            .symlink_metadata()
            .map_err(|error| Failure::io(format!("can't read `{}`: {error}", path.display())))?;
        let is_directory = path.is_dir() && path.file_name().is_none_or(|name| name != SKILL_FILE);
        let root = match path.parent() {
            Some(parent) if !is_directory => parent.to_path_buf(),
            _ => path.clone(),
        };
        let is_skill_file = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE));
        if !is_directory && !is_skill_file {
            let shown = path.display();
            return Err(match path.exists() {
                false if kind.is_symlink() => Failure::io(format!("`{shown}` is a link that leads nowhere")),
                _ => Failure::usage(format!("`{shown}` is a file of another name than {SKILL_FILE}")),
            });
        }
        let alone = !is_directory || root.join(SKILL_FILE).symlink_metadata().is_ok();
        let depth = if alone { 0 } else { global.max_depth };
        let roots = Roots::new().with("path", root)?;
        Self::from_roots(global, &roots, depth, absolute(Path::new("."))?)
    }

    fn from_roots(global: &Global, roots: &Roots, depth: usize, project: PathBuf) -> Result<Self, Failure> {
        let (options, home) = (global.load_options(depth)?, global.home()?);
        let start = Instant::now();
        let library = Library::load(roots, &options);
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
