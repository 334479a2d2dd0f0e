//! An immutable snapshot of one load: every `SKILL.md` seen, in exactly one state, with a reason.

mod collide;
mod find;
mod load;
mod options;
mod path;
mod policy;
mod reload;

use std::path::PathBuf;
use std::sync::Arc;

pub use self::options::LoadOptions;
pub use self::policy::Policy;
pub use self::reload::Reload;
use crate::diagnostic::{Code, Diagnostic};
use crate::scope::{Lookalike, Root, Roots};
use crate::skill::Skill;
use crate::source::{LimitHit, ScanOptions, Source};
use crate::trust::Trust;

/// Who asks for a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The model, through a tool call. For a model a name is never a path.
    Model,
    /// The user, by typing a name, an id or a path.
    User,
}

/// An immutable snapshot of one load. Clones share it; it is `Send + Sync`.
///
/// A load never fails as a whole: what is wrong with a file or a directory is a [`Diagnostic`], and whatever is on disk,
/// [`skills`](Self::skills), [`shadowed`](Self::shadowed), [`duplicates`](Self::duplicates) and
/// [`invalid`](Self::invalid) together hold every `SKILL.md` that was seen, each once.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Origin, Roots, source::Memory};
///
/// let memory = Memory::new()
///     .with("/project/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n")
///     .with("/home/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills my forms.\n---\n");
/// let roots = Roots::new().with("project", "/project")?.with("user", "/home")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// assert_eq!(library.find("pdf", Origin::Model)?.description(), "Fills forms.");
/// assert_eq!(library.shadowed()[0].skill.id(), "user:pdf");
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Library(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    searched: Roots,
    options: LoadOptions,
    lookalikes: Vec<Lookalike>,
    roots: Vec<LoadedRoot>,
    skills: Vec<Arc<Skill>>,
    shadowed: Vec<Shadowed>,
    duplicates: Vec<Duplicate>,
    invalid: Vec<Invalid>,
    diagnostics: Vec<Diagnostic>,
    scan: ScanReport,
    /// What a reload need not read again.
    readings: load::Readings,
    index: find::Index,
}

/// A root, and whether it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedRoot {
    /// The root.
    pub root: Root,
    /// Whether the directory exists.
    pub exists: bool,
}

/// A skill that lost its name to another, and is still reachable by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shadowed {
    /// The skill that lost.
    pub skill: Arc<Skill>,
    /// The location of the skill that has the name.
    pub winner: PathBuf,
}

/// An identical copy of a skill: the same `SKILL.md` bytes, the same resource names and sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// The name both bear.
    pub name: String,
    /// The path of the copy's `SKILL.md`.
    pub location: PathBuf,
    /// The location of the skill it is a copy of.
    pub of: PathBuf,
}

/// A `SKILL.md` that does not load.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invalid {
    /// The name it would have: the frontmatter's, or the directory's.
    pub name: String,
    /// Its path.
    pub location: PathBuf,
    /// Why it does not load; the diagnostic of this code says more.
    pub code: Code,
}

/// What the scan touched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanReport {
    /// Directories listed.
    pub directories: usize,
    /// `SKILL.md` files seen: loaded, shadowed, duplicate or invalid.
    pub skill_files: usize,
    /// Limits that were hit, each with the first place.
    pub limits_hit: Vec<LimitHit>,
}

impl Library {
    /// Scans the roots, reads every frontmatter and settles collisions. Never fails as a whole.
    #[must_use]
    pub fn load(roots: &Roots, options: &LoadOptions) -> Self {
        Self(Arc::new(load::load(roots, options, &Vec::new())))
    }

    /// The roots, highest first. A directory reached twice is one root.
    #[must_use]
    pub fn roots(&self) -> &[LoadedRoot] {
        &self.0.roots
    }

    /// The skills that bear their name, sorted by name, then id.
    #[must_use]
    pub fn skills(&self) -> &[Arc<Skill>] {
        &self.0.skills
    }

    /// The skills a model may see and activate, sorted by name: what the catalog and the tools show.
    pub fn listed(&self) -> impl Iterator<Item = &Arc<Skill>> {
        self.skills().iter().filter(|skill| skill.is_listed())
    }

    /// The skills that lost their name, sorted by id.
    #[must_use]
    pub fn shadowed(&self) -> &[Shadowed] {
        &self.0.shadowed
    }

    /// Every skill there is: those that bear their name, then those that lost theirs.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Skill>> {
        let shadowed = self.shadowed().iter().map(|shadowed| &shadowed.skill);
        self.skills().iter().chain(shadowed)
    }

    /// The identical copies, sorted by location.
    #[must_use]
    pub fn duplicates(&self) -> &[Duplicate] {
        &self.0.duplicates
    }

    /// The files that do not load, sorted by location.
    #[must_use]
    pub fn invalid(&self) -> &[Invalid] {
        &self.0.invalid
    }

    /// Everything that was found wrong, in the order of the roots and paths.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// What the scan touched.
    #[must_use]
    pub fn scan(&self) -> &ScanReport {
        &self.0.scan
    }

    /// The directories a host must let a model read, for the skills that a model may activate.
    pub fn readable_roots(&self) -> impl Iterator<Item = &std::path::Path> {
        self.listed().map(|skill| skill.directory())
    }

    /// What it takes for a skill to be trusted here.
    #[must_use]
    pub fn trust(&self) -> &Trust {
        &self.0.options.policy.trust
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.0.options.policy
    }

    pub(crate) fn source(&self) -> &dyn Source {
        self.0.options.source.as_ref()
    }

    /// How far the roots are searched.
    #[must_use]
    pub fn scan_options(&self) -> &ScanOptions {
        &self.0.options.scan
    }

    pub(crate) fn lookalikes(&self) -> &[Lookalike] {
        &self.0.lookalikes
    }

    pub(crate) fn max_body(&self) -> u64 {
        self.0.options.max_body
    }
}
