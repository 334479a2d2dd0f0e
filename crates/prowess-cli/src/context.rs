//! The defaults that a face fills in, and the library they lead to.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess::scope::{self, Places, Preset};
use prowess::skill::Visibility;
use prowess::source::ScanOptions;
use prowess::tokens::{Estimate, Tokenizer};
use prowess::{Catalog, CatalogOptions, Library, LoadOptions, Policy, Roots};

use crate::args::{Global, PresetArg, Tokens};
use crate::failure::Failure;
use crate::output::{Output, YELLOW, safe};

/// A loaded library and what it takes to present it.
pub(crate) struct Context {
    pub(crate) library: Library,
    pub(crate) elapsed: Duration,
    pub(crate) tokenizer: Arc<dyn Tokenizer>,
    project: PathBuf,
    home: PathBuf,
}

impl Context {
    pub(crate) fn load(global: &Global, output: &mut Output) -> Result<Self, Failure> {
        let project = absolute(global.project.as_deref().unwrap_or(Path::new(".")))?;
        let home = home(global)?;
        for place in [&global.project, &global.home].into_iter().flatten() {
            if !place.is_dir() {
                output
                    .note(&format!("{YELLOW}no directory{YELLOW:#}: {}", safe(&place.display().to_string())));
            }
        }
        let roots = roots(global, &project, &home)?;
        Self::load_with(global, project, home, |options| Ok(Library::load(&roots, options)))
    }

    /// Loads what one path holds: a `SKILL.md`, a skill's directory, or a directory that is searched as a root.
    pub(crate) fn load_path(global: &Global, path: &Path) -> Result<Self, Failure> {
        let (project, home) = (absolute(Path::new("."))?, home(global)?);
        let path = absolute(path)?;
        Self::load_with(global, project, home, |options| Ok(Library::load_path(&path, options)?))
    }

    fn load_with(
        global: &Global,
        project: PathBuf,
        home: PathBuf,
        load: impl FnOnce(&LoadOptions) -> Result<Library, Failure>,
    ) -> Result<Self, Failure> {
        let scan = ScanOptions::default().max_depth(global.max_depth).max_directories(global.max_directories);
        let options = LoadOptions::new().scan(scan).policy(policy(&global.disable)?);
        let start = Instant::now();
        let library = load(&options)?;
        let elapsed = start.elapsed();
        Ok(Self { library, elapsed, tokenizer: tokenizer(global.tokens), project, home })
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

/// The user's home; empty, and then no root is looked for in it, if the system knows none.
fn home(global: &Global) -> Result<PathBuf, Failure> {
    match &global.home {
        Some(home) => absolute(home),
        None => Ok(std::env::home_dir().filter(|home| home.is_absolute()).unwrap_or_default()),
    }
}

fn roots(global: &Global, project: &Path, home: &Path) -> Result<Roots, Failure> {
    let places = Places::new(project, home).enterprise(absolute(&global.enterprise)?);
    if global.roots.is_empty() {
        let preset = match global.preset {
            PresetArg::Agents => Preset::Agents,
            PresetArg::Claude => Preset::Claude,
        };
        return Ok(Roots::preset(preset, &places));
    }
    let mut roots = Roots::within(&places);
    for argument in &global.roots {
        let (scope, directory) = argument.split_once('=').ok_or_else(|| {
            Failure::usage(format!("`--root {argument}` has no `=`; write it as `--root SCOPE=DIR`"))
        })?;
        roots = roots.with_label(scope, absolute(Path::new(directory))?)?;
    }
    Ok(roots)
}

fn policy(disabled: &[String]) -> Result<Policy, Failure> {
    let hide = |policy: Policy, pattern: &String| policy.restrict(pattern, Visibility::Hidden);
    Ok(disabled.iter().try_fold(Policy::new(), hide)?)
}

pub(crate) fn tokenizer(tokens: Tokens) -> Arc<dyn Tokenizer> {
    match tokens {
        Tokens::Estimate => Arc::new(Estimate),
        Tokens::O200k => Arc::new(O200k),
    }
}

/// The o200k vocabulary, which this program carries.
#[derive(Debug)]
struct O200k;

impl Tokenizer for O200k {
    fn count(&self, text: &str) -> usize {
        tiktoken::get_encoding("o200k_base")
            .map_or_else(|| Estimate.count(text), |vocabulary| vocabulary.count(text))
    }
}

/// An absolute path, as seen from the working directory.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let current = std::env::current_dir()
        .map_err(|error| Failure::io(format!("can't tell the working directory: {error}")))?;
    Ok(scope::absolute(path, &current)?)
}
