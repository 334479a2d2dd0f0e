//! Where to look for skills: roots in an order, and the order is the precedence.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::source::{Source, is_repository, real_path};

/// The folders of skills inside a place that every preset knows, highest first.
const FOLDERS: [&str; 2] = [".agents/skills", ".claude/skills"];

/// Folders that are taken for one of [`FOLDERS`], with the one that was meant.
const LOOKALIKES: [(&str, &str); 4] = [
    (".agent/skills", ".agents/skills"),
    (".agents/skill", ".agents/skills"),
    (".claude/skill", ".claude/skills"),
    (".agents/Skills", ".agents/skills"),
];

/// Where faces look for an organisation's skills unless they are told otherwise.
pub const ENTERPRISE_DIRECTORY: &str = "/etc/agents/skills";

/// The absolute path that a person means by a path given in the directory `current`. One with `..` in it is resolved, so
/// that its ancestors are the right ones.
///
/// # Errors
/// `Usage` if the path is empty.
///
/// ```
/// use prowess::scope::absolute;
/// use std::path::Path;
///
/// assert_eq!(absolute(Path::new("./app"), Path::new("/src"))?, Path::new("/src/app"));
/// # Ok::<(), prowess::Error>(())
/// ```
pub fn absolute(path: &Path, current: &Path) -> Result<PathBuf, Error> {
    if path.as_os_str().is_empty() {
        return Err(Error::new(ErrorKind::Usage, "a path is empty; `.` is the working directory"));
    }
    let joined = current.join(path);
    let absolute = std::path::absolute(&joined).map_err(|error| Error::io(joined, error))?;
    let climbs = absolute.components().any(|part| part == Component::ParentDir);
    let resolved = if climbs { real_path(&absolute) } else { None };
    Ok(resolved.unwrap_or(absolute))
}

/// Where a root comes from: a label of lower-case letters, digits and `-`.
///
/// ```
/// use prowess::scope::Scope;
///
/// assert_eq!(Scope::new("my-plugin")?.as_str(), "my-plugin");
/// assert!(Scope::new("My plugin").is_err());
/// # Ok::<(), prowess::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(Cow<'static, str>);

impl Scope {
    /// What an organisation puts on every machine.
    pub const ENTERPRISE: Self = Self(Cow::Borrowed("enterprise"));
    /// What comes with a project.
    pub const PROJECT: Self = Self(Cow::Borrowed("project"));
    /// The user's own.
    pub const USER: Self = Self(Cow::Borrowed("user"));
    /// What the host brings along.
    pub const BUILTIN: Self = Self(Cow::Borrowed("builtin"));

    /// The scope of a label.
    ///
    /// # Errors
    /// `Usage` if the label is empty or holds anything but `a` to `z`, digits and `-`.
    pub fn new(label: &str) -> Result<Self, Error> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if label.is_empty() || !label.bytes().all(allowed) {
            let message = format!("scope `{label}` is not made of `a` to `z`, digits and `-`");
            return Err(Error::new(ErrorKind::Usage, message));
        }
        Ok(Self(Cow::Owned(label.to_string())))
    }

    /// The label.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A directory that is searched for skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The directory; it need not exist.
    pub path: PathBuf,
    /// Where it comes from.
    pub scope: Scope,
    /// Its precedence: 0 is the highest. Roots may share a rank.
    pub rank: usize,
    /// What the path in an id `scope:name@DIR` is relative to: the project directory for `project`, the home for
    /// `user`, otherwise the root itself.
    pub base: PathBuf,
}

/// A directory that looks like a root and is none: it is only looked at to warn when it holds a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookalike {
    /// The directory; it need not exist. Where names don't differ by case, it may be `meant` itself: compare real paths.
    pub path: PathBuf,
    /// The root that its author probably meant.
    pub meant: PathBuf,
}

/// A root with what the source says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedRoot {
    /// The root.
    pub root: Root,
    /// Its real path, all links resolved; `None` if it does not exist.
    pub real: Option<PathBuf>,
}

/// Which order the default roots have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Preset {
    /// Enterprise, project, user, builtin: what most clients do.
    #[default]
    Agents,
    /// Enterprise, user, project, builtin.
    Claude,
}

/// The places that a preset looks in.
///
/// ```
/// use prowess::scope::{Places, Preset, Roots};
///
/// let places = Places::new("/src/app", "/home/me").enterprise("/etc/agents/skills").folder(".myhost/skills");
/// let roots = Roots::preset(Preset::Claude, &places);
/// let scopes: Vec<&str> = roots.iter().map(|root| root.scope.as_str()).collect();
/// assert_eq!(scopes, ["enterprise", "user", "user", "user", "project", "project", "project"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    project: PathBuf,
    home: Option<PathBuf>,
    enterprise: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    builtin: Vec<PathBuf>,
}

impl Places {
    /// A working directory and a home; an empty home is none. Both should be absolute: they are used as given.
    #[must_use]
    pub fn new(project: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        Self {
            project: project.into(),
            home: Some(home.into()).filter(|home: &PathBuf| !home.as_os_str().is_empty()),
            enterprise: Vec::new(),
            folders: Vec::new(),
            builtin: Vec::new(),
        }
    }

    /// Adds a directory of skills that an organisation provides.
    #[must_use]
    pub fn enterprise(mut self, directory: impl Into<PathBuf>) -> Self {
        self.enterprise.push(directory.into());
        self
    }

    /// Adds a folder of the host's own, relative to a project directory or home, after `.agents/skills` and
    /// `.claude/skills`.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Adds a directory of skills that the host brings along.
    #[must_use]
    pub fn builtin(mut self, directory: impl Into<PathBuf>) -> Self {
        self.builtin.push(directory.into());
        self
    }
}

/// The roots in their order, highest first: the order is the precedence.
///
/// ```
/// use prowess::scope::Roots;
///
/// let roots = Roots::new()
///     .with("team", "/srv/skills")?
///     .with("plugin-a", "/opt/a/skills")?
///     .with_shared_rank("plugin-b", "/opt/b/skills")?;
/// let ranks: Vec<usize> = roots.iter().map(|root| root.rank).collect();
/// assert_eq!(ranks, [0, 1, 1]);
/// # Ok::<(), prowess::error::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roots {
    roots: Vec<Root>,
    lookalikes: Vec<Lookalike>,
    project: Option<PathBuf>,
    home: Option<PathBuf>,
}

impl Roots {
    /// No roots.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// No roots yet, but a known project directory and home, so that roots of scope `project` and `user` that are added
    /// have their base.
    #[must_use]
    pub fn within(places: &Places) -> Self {
        Self { project: Some(places.project.clone()), home: places.home.clone(), ..Self::default() }
    }

    /// The default roots of a working directory and a home: [`Preset::Agents`] without enterprise and builtin ones.
    #[must_use]
    pub fn agents(project: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        Self::preset(Preset::Agents, &Places::new(project, home))
    }

    /// The default roots of a preset.
    ///
    /// 1. Project roots lie in the working directory and its ancestors up to and including the repository's root, where
    ///    `.git` is; without a repository, in the working directory alone. The nearest is the highest.
    /// 2. In each place `.agents/skills` comes first, then `.claude/skills`, then the host's own folders.
    /// 3. A home is no place for project roots, though it may be the working directory or lie in a repository.
    ///
    /// It looks for `.git` on the disk, whatever source the skills come from.
    #[must_use]
    pub fn preset(preset: Preset, places: &Places) -> Self {
        let mut roots = Self::within(places);
        for directory in &places.enterprise {
            roots.push(Scope::ENTERPRISE, directory.clone());
        }
        let project = project_places(places);
        let user: Vec<PathBuf> = places.home.iter().cloned().collect();
        let (higher, lower) = match preset {
            Preset::Agents => ((Scope::PROJECT, project), (Scope::USER, user)),
            Preset::Claude => ((Scope::USER, user), (Scope::PROJECT, project)),
        };
        for (scope, directories) in [higher, lower] {
            for directory in directories {
                roots.push_folders(&scope, &directory, &places.folders);
            }
        }
        for directory in &places.builtin {
            roots.push(Scope::BUILTIN, directory.clone());
        }
        roots
    }

    /// Adds a root that is lower than all before.
    ///
    /// # Errors
    /// `Usage` if the scope is no label of `a` to `z`, digits and `-`.
    pub fn with(mut self, scope: &str, path: impl Into<PathBuf>) -> Result<Self, Error> {
        self.push(Scope::new(scope)?, path.into());
        Ok(self)
    }

    /// Adds a root of the same rank as the one before: neither wins over the other.
    ///
    /// # Errors
    /// `Usage` if the scope is no label of `a` to `z`, digits and `-`.
    pub fn with_shared_rank(mut self, scope: &str, path: impl Into<PathBuf>) -> Result<Self, Error> {
        let rank = self.roots.last().map_or(0, |root| root.rank);
        self.push_ranked(Scope::new(scope)?, path.into(), rank);
        Ok(self)
    }

    /// Adds a root as people write it: with a `+` before the scope it [shares the rank](Self::with_shared_rank) of the one
    /// before, else it is [lower](Self::with).
    ///
    /// # Errors
    /// `Usage` if the scope is no label of `a` to `z`, digits and `-`.
    pub fn with_label(self, label: &str, path: impl Into<PathBuf>) -> Result<Self, Error> {
        match label.strip_prefix('+') {
            Some(scope) => self.with_shared_rank(scope, path),
            None => self.with(label, path),
        }
    }

    /// The roots, highest first.
    pub fn iter(&self) -> std::slice::Iter<'_, Root> {
        self.roots.iter()
    }

    /// The directories that could be taken for default roots; empty unless these come from a preset.
    #[must_use]
    pub fn lookalikes(&self) -> &[Lookalike] {
        &self.lookalikes
    }

    /// The user's home, if one is known.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Asks the source for the real path of each root and keeps one root for each real directory: the one of scope
    /// `user` if there is one, otherwise the first. Roots that don't exist are kept.
    #[must_use]
    pub fn resolve(&self, source: &dyn Source) -> Vec<ResolvedRoot> {
        let mut kept: Vec<Option<ResolvedRoot>> = Vec::new();
        let mut places: HashMap<PathBuf, usize> = HashMap::new();
        for root in &self.roots {
            let resolved = ResolvedRoot { root: root.clone(), real: source.real_path(&root.path) };
            let known = resolved.real.as_ref().and_then(|real| places.get(real)).copied();
            let Some(known) = known else {
                places.extend(resolved.real.clone().map(|real| (real, kept.len())));
                kept.push(Some(resolved));
                continue;
            };
            let is_user = |resolved: &ResolvedRoot| resolved.root.scope == Scope::USER;
            if is_user(&resolved) && !kept[known].as_ref().is_some_and(is_user) {
                kept[known] = None;
                places.extend(resolved.real.clone().map(|real| (real, kept.len())));
                kept.push(Some(resolved));
            }
        }
        kept.into_iter().flatten().collect()
    }

    fn push(&mut self, scope: Scope, path: PathBuf) {
        let rank = self.roots.last().map_or(0, |root| root.rank + 1);
        self.push_ranked(scope, path, rank);
    }

    fn push_ranked(&mut self, scope: Scope, path: PathBuf, rank: usize) {
        let base = match scope.as_str() {
            "project" => self.project.clone(),
            "user" => self.home.clone(),
            _ => None,
        };
        let base = base.unwrap_or_else(|| path.clone());
        self.roots.push(Root { path, scope, rank, base });
    }

    fn push_folders(&mut self, scope: &Scope, place: &Path, own: &[PathBuf]) {
        for folder in FOLDERS.iter().map(Path::new).chain(own.iter().map(PathBuf::as_path)) {
            self.push(scope.clone(), place.join(folder));
        }
        let lookalike =
            |(path, meant): (&str, &str)| Lookalike { path: place.join(path), meant: place.join(meant) };
        self.lookalikes.extend(LOOKALIKES.map(lookalike));
    }
}

impl<'a> IntoIterator for &'a Roots {
    type Item = &'a Root;
    type IntoIter = std::slice::Iter<'a, Root>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The directories that may hold project roots, nearest first.
fn project_places(places: &Places) -> Vec<PathBuf> {
    let home = places.home.as_deref();
    let real_home = home.and_then(real_path);
    let is_home = |directory: &PathBuf| {
        Some(directory.as_path()) == home || (real_home.is_some() && real_path(directory) == real_home)
    };
    let mut directories = up_to_repository(&places.project);
    directories.retain(|directory| !is_home(directory));
    directories
}

/// The directory and its ancestors up to the root of its repository; without one, the directory alone.
fn up_to_repository(project: &Path) -> Vec<PathBuf> {
    // Dropping the last name of a path with `..` in it does not give an ancestor; nor does it behind a link.
    let climbs = project.components().any(|component| component == Component::ParentDir);
    let as_given = Some(project.to_path_buf()).filter(|_| !climbs);
    for start in as_given.into_iter().chain(real_path(project)) {
        if let Some(repository) = start.ancestors().find(|directory| is_repository(directory)) {
            let inside = start.ancestors().take_while(|directory| directory.starts_with(repository));
            return inside.map(Path::to_path_buf).collect();
        }
    }
    vec![project.to_path_buf()]
}

#[cfg(test)]
mod tests;
