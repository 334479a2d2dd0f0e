//! Which skills the user has allowed: by the repository they lie in, and by what they hold.

mod content;
#[cfg(feature = "serde")]
mod store_json;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub(crate) use self::content::MAX_BYTES;
use self::content::{Read, content_digest};
#[cfg(not(feature = "serde"))]
use crate::diagnostic::Diagnostic;
use crate::error::{Error, ErrorKind};
use crate::library::Library;
#[cfg(doc)]
use crate::library::Policy;
use crate::scope::{Root, Scope};
use crate::skill::{Skill, Visibility, display_path};
use crate::source::Source;

/// How long a file that names a git directory is read.
const MAX_GIT_FILE: usize = 4096;

/// Where faces keep the [`TrustStore`], in the user's home.
pub const STORE_FILE: &str = ".config/prowess/trust.json";

/// What it takes for a skill to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// Nothing.
    #[default]
    Allow,
    /// That the [`TrustStore`] holds it, as it is now: a skill is asked for again when anything in its directory has
    /// changed.
    Ask,
    /// It never is.
    Deny,
}

/// A rule for each scope, and the skills that were allowed. Part of a [`Policy`].
///
/// A skill that is not trusted is loaded as [`Untrusted`](crate::skill::Visibility::Untrusted), with a diagnostic: it is
/// in no catalog, takes no name from another skill, and nobody can activate it or read its files. Under [`Rule::Ask`] a
/// load reads everything in the directories of a scope's skills, and every activation and resource read does so again: what
/// was changed after the load is refused. What can't be trusted: a skill whose directory holds more than 64 MiB or 10,000
/// files, folders and links, and one with a link that leads out of it.
///
/// The bytes that are delivered are the ones that were compared, so nothing is won by changing a file back in time. Not so the
/// frontmatter, which a load reads just before it compares, the names in a listing, and what is run: that is read by others,
/// later.
///
/// ```
/// use std::sync::Arc;
/// use prowess::trust::{Rule, Trust, TrustStore};
/// use prowess::{ErrorKind, Library, LoadOptions, Origin, Policy, Roots, source::Memory};
///
/// let memory = Memory::new().with("/app/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n");
/// let (roots, memory) = (Roots::new().with("project", "/app")?, Arc::new(memory));
/// let load = |store: &TrustStore| {
///     let trust = Trust::new().rule(Rule::Ask).scope("user", Rule::Allow).store(store.clone());
///     let policy = Policy::new().trust(trust);
///     Library::load(&roots, &LoadOptions::new().source(memory.clone()).policy(policy))
/// };
/// let mut store = TrustStore::default();
/// let library = load(&store);
/// let pdf = &library.skills()[0];
/// assert_eq!(library.activate("pdf", Origin::User).error().map(|error| error.kind()), Some(ErrorKind::Untrusted));
/// store.allow(library.identity(pdf)?, pdf.id());
/// assert!(load(&store).skills()[0].is_listed());
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Trust {
    rule: Rule,
    scopes: BTreeMap<String, Rule>,
    store: TrustStore,
    /// The file that the store was read from.
    file: Option<PathBuf>,
}

impl FromStr for Rule {
    type Err = Error;

    /// `allow`, `ask` or `deny`.
    fn from_str(word: &str) -> Result<Self, Error> {
        match word {
            "allow" => Ok(Self::Allow),
            "ask" => Ok(Self::Ask),
            "deny" => Ok(Self::Deny),
            _ => {
                let message = format!("`{word}` is no rule of trust: `allow`, `ask` or `deny`");
                Err(Error::new(ErrorKind::Usage, message))
            }
        }
    }
}

impl Trust {
    /// Every scope is trusted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The rule of every scope that has none of its own.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// The rule of a scope.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>, rule: Rule) -> Self {
        self.scopes.insert(scope.into(), rule);
        self
    }

    /// Adds a rule as people write it: `RULE` for every scope that has none of its own, `SCOPE=RULE` for one.
    ///
    /// # Errors
    /// `Usage` if the scope is no label, or the rule is not `allow`, `ask` or `deny`.
    pub fn with_label(self, label: &str) -> Result<Self, Error> {
        match label.split_once('=') {
            Some((scope, rule)) => Ok(self.scope(Scope::new(scope)?.as_str(), rule.parse()?)),
            None => Ok(self.rule(label.parse()?)),
        }
    }

    /// What was allowed so far.
    #[must_use]
    pub fn store(mut self, store: TrustStore) -> Self {
        self.store = store;
        self
    }

    /// The file that was [read](Self::read), and that every [reload](Library::reload) reads again.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The rule that a scope has.
    #[must_use]
    pub fn rule_of(&self, scope: &str) -> Rule {
        self.scopes.get(scope).copied().unwrap_or(self.rule)
    }

    /// Only what is read from JSON has a file.
    #[cfg(not(feature = "serde"))]
    pub(crate) fn reread(&mut self) -> Option<Diagnostic> {
        None
    }

    /// Whether a skill of a root is trusted, as it lies there now.
    pub(crate) fn trusts(&self, root: &Root, location: &Path, source: &dyn Source) -> bool {
        self.judge(root, location, source, &[]).unwrap_or(false)
    }

    fn judge(&self, root: &Root, location: &Path, source: &dyn Source, read: &[Read]) -> Result<bool, Error> {
        match self.rule_of(root.scope.as_str()) {
            Rule::Allow => Ok(true),
            Rule::Deny => Ok(false),
            Rule::Ask => {
                let repository = repository(&root.base, location, source);
                if !self.store.knows(&repository) {
                    return Ok(false);
                }
                let digest = content_digest(location, source, read)?;
                Ok(self.store.contains(&Identity { repository, digest }))
            }
        }
    }
}

/// What a skill is trusted by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The real path of the git repository that the skill lies in, the same for all its work trees; without one, of the
    /// directory that its root belongs to: the project, the home, or the root itself.
    pub repository: String,
    /// `sha256:` and 64 hex digits over everything in the skill's directory: the path and bytes of every file and where
    /// every link leads, in folders of any name, such as `.git`, `node_modules` and `__pycache__`. A skill with a link that
    /// leads out of its directory has none, as what lies there can change unseen.
    pub digest: String,
}

/// The skills that were allowed. As JSON it is an object with the key `prowess_trust`, the version of the format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustStore(BTreeMap<Identity, String>);

impl TrustStore {
    /// Allows a skill as it is. The id is for people who read the store.
    pub fn allow(&mut self, identity: Identity, id: impl Into<String>) {
        self.0.insert(identity, id.into());
    }

    /// Takes back whatever `is_meant` says of; how many that were.
    pub fn revoke(&mut self, is_meant: impl Fn(&Identity, &str) -> bool) -> usize {
        let before = self.0.len();
        self.0.retain(|identity, id| !is_meant(identity, id));
        before - self.0.len()
    }

    /// Whether exactly this was allowed.
    #[must_use]
    pub fn contains(&self, identity: &Identity) -> bool {
        self.0.contains_key(identity)
    }

    /// What was allowed, with the ids, by repository.
    pub fn entries(&self) -> impl Iterator<Item = (&Identity, &str)> {
        self.0.iter().map(|(identity, id)| (identity, id.as_str()))
    }

    fn knows(&self, repository: &str) -> bool {
        self.0.keys().any(|identity| identity.repository == repository)
    }
}

impl Library {
    /// What a skill is trusted by, read from its files as they are now.
    ///
    /// # Errors
    /// `BodyTooLarge` if its directory holds more than 10,000 files, folders and links, or 64 MiB; `NotConfined` if a link
    /// leads out of it; `Io` if a file can't be read, or a folder listed.
    pub fn identity(&self, skill: &Skill) -> Result<Identity, Error> {
        let digest = content_digest(skill.location(), self.source(), &[])?;
        Ok(Identity { repository: self.repository(skill), digest })
    }

    /// The repository of a skill's [`Identity`].
    #[must_use]
    pub fn repository(&self, skill: &Skill) -> String {
        let base = self.root_of(skill).map_or(skill.directory(), |root| root.base.as_path());
        repository(base, skill.location(), self.source())
    }

    /// Whether it is the user's word that a skill waits for: it is not trusted, and its scope's rule is [`Rule::Ask`].
    #[must_use]
    pub fn is_asked(&self, skill: &Skill) -> bool {
        skill.visibility() == Visibility::Untrusted && self.rule_of(skill) == Rule::Ask
    }

    /// The root of a skill; none of a skill of another library.
    fn root_of(&self, skill: &Skill) -> Option<&Root> {
        self.roots().get(skill.root).map(|loaded| &loaded.root).filter(|root| root.scope == *skill.scope())
    }

    pub(crate) fn rule_of(&self, skill: &Skill) -> Rule {
        self.trust().rule_of(skill.scope().as_str())
    }

    /// Refuses a skill that is not trusted.
    pub(crate) fn permit(&self, skill: &Skill) -> Result<&Root, Error> {
        match self.root_of(skill) {
            None => Err(untrusted(skill, "is of another library")),
            Some(_) if skill.visibility() == Visibility::Untrusted => {
                Err(untrusted(skill, "is not trusted by the host"))
            }
            Some(root) => Ok(root),
        }
    }

    /// What was read of a skill, unless that is not what it was when it was allowed. Of the `files` that were read, what was
    /// read is compared, whatever is in them by now.
    pub(crate) fn checked<T>(
        &self,
        skill: &Skill,
        read: Result<T, Error>,
        files: impl FnOnce(&T) -> Vec<Read>,
    ) -> Result<T, Error> {
        let root = self.permit(skill)?;
        if self.rule_of(skill) == Rule::Allow {
            return read;
        }
        let files = read.as_ref().map_or_else(|_| Vec::new(), files);
        match self.trust().judge(root, skill.location(), self.source(), &files) {
            Ok(true) => read,
            Ok(false) => Err(untrusted(skill, "has changed since it was allowed")),
            Err(error) => Err(untrusted(skill, &format!("is not what was allowed: {}", error.message()))),
        }
    }
}

fn untrusted(skill: &Skill, why: &str) -> Error {
    let message = format!("skill `{}` {why}", skill.name());
    Error::new(ErrorKind::Untrusted, message).with_path(skill.location())
}

fn repository(base: &Path, location: &Path, source: &dyn Source) -> String {
    let mut above = location.ancestors().skip(1).map(|directory| directory.join(".git"));
    let git = above.find(|git| source.real_path(git).is_some());
    let directory = git.map_or_else(|| base.to_path_buf(), |git| common_directory(git, source));
    let real = source.real_path(&directory).unwrap_or(directory);
    display_path(if real.ends_with(".git") { real.parent().unwrap_or(&real) } else { &real })
}

/// The directory that a repository's work trees share. In a linked one `.git` is a file that names its own directory,
/// and that directory's `commondir` names the shared one.
fn common_directory(git: PathBuf, source: &dyn Source) -> PathBuf {
    let line = |file: &Path| {
        let bytes = source.read_prefix(file, MAX_GIT_FILE).ok()?.bytes;
        Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    };
    let named = line(&git).and_then(|text| text.strip_prefix("gitdir: ").map(PathBuf::from));
    let Some(own) = named.map(|path| git.with_file_name("").join(path)) else { return git };
    line(&own.join("commondir")).map_or(own.clone(), |common| own.join(common))
}

#[cfg(test)]
mod tests;
