//! One skill, as a library holds it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::parse::Frontmatter;
use crate::scope::Scope;

/// Who may see and activate a skill. Later is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Visibility {
    /// In the catalog; model and user may activate it.
    Listed,
    /// Not in the catalog; only the user may activate it (`disable-model-invocation`).
    UserOnly,
    /// Hidden by the host: not in the catalog; only the user may activate it.
    Hidden,
    /// Not trusted by the host: not in the catalog; nobody may activate it.
    Untrusted,
}

impl Visibility {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::UserOnly => "user-only",
            Self::Hidden => "hidden",
            Self::Untrusted => "untrusted",
        }
    }

    /// Whether the skill can take a name: one that the host hides or does not trust takes none from another.
    #[must_use]
    pub fn is_enabled(self) -> bool {
        self < Self::Hidden
    }
}

/// A skill: its frontmatter, and where it lies. The body is not held: it is read at activation, fresh.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Roots, source::Memory};
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nBody");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let skill = &library.skills()[0];
/// assert_eq!((skill.id(), skill.description(), skill.body_bytes()), ("user:pdf", "Fills forms.", 4));
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub(crate) id: String,
    pub(crate) scope: Scope,
    pub(crate) rank: usize,
    /// The place of its root among those of the library.
    pub(crate) root: usize,
    pub(crate) location: PathBuf,
    pub(crate) real: PathBuf,
    pub(crate) directory: PathBuf,
    pub(crate) frontmatter: Arc<Frontmatter>,
    pub(crate) size: u64,
    pub(crate) body_bytes: u64,
    /// Of what a load reads: the frontmatter, and of most files the body as well.
    pub(crate) fingerprint: u64,
    pub(crate) visibility: Visibility,
}

impl Skill {
    /// The id, unique in its library: `scope:name`, or `scope:name@DIR` for a copy in the winner's own scope.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The directory that tells it from another skill of its scope and name: what stands behind the `@` of its id.
    #[must_use]
    pub fn id_directory(&self) -> Option<&str> {
        let rest = self.id.strip_prefix(self.scope.as_str())?.strip_prefix(':')?;
        rest.strip_prefix(self.name())?.strip_prefix('@')
    }

    /// The name, in NFC: the frontmatter's, or the directory's where that is missing or unsafe.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.frontmatter.name
    }

    /// The whole description, trimmed.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.frontmatter.description
    }

    /// Everything the frontmatter says.
    #[must_use]
    pub fn frontmatter(&self) -> &Frontmatter {
        &self.frontmatter
    }

    /// The scope of the root it was found under.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The rank of the root it was found under; 0 is the highest.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The path of its `SKILL.md`, as reached through its root.
    #[must_use]
    pub fn location(&self) -> &Path {
        &self.location
    }

    /// The real path of its `SKILL.md`, all links resolved.
    #[must_use]
    pub fn real_location(&self) -> &Path {
        &self.real
    }

    /// The directory it is, as reached through its root. Relative paths in the body resolve against it.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The last part of [`directory`](Self::directory).
    #[must_use]
    pub fn directory_name(&self) -> String {
        self.directory.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The size of the body in bytes when the library was loaded.
    #[must_use]
    pub fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// Who may see and activate it.
    #[must_use]
    pub fn visibility(&self) -> Visibility {
        self.visibility
    }

    /// Whether a model may see and activate it: the one rule that catalog, tools and requests go by.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        self.visibility == Visibility::Listed
    }

    /// Whether the user may activate it.
    #[must_use]
    pub fn is_invocable(&self) -> bool {
        self.visibility != Visibility::Untrusted && self.frontmatter.user_invocable
    }

    /// Whether it asks to go last when a catalog must shrink: `priority: high` in its `metadata`.
    #[must_use]
    pub fn has_priority(&self) -> bool {
        self.frontmatter.metadata.find("priority").and_then(|value| value.as_text()) == Some("high")
    }
}

/// A path as a model and JSON see it: `/` on every system, and U+FFFD for what is not Unicode.
#[must_use]
pub fn display_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.trim_start_matches(r"\\?\").replace('\\', "/") } else { text.into_owned() }
}
