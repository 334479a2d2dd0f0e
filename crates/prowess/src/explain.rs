//! What became of every `SKILL.md` that bears a name or could be meant by it, and what to do about it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::catalog::{Catalog, Shown};
use crate::diagnostic::Code;
use crate::library::Library;
use crate::near::{fold, nearest};
use crate::parse;
use crate::scan::SKILL_FILE;
use crate::skill::{Skill, Visibility, display_path};
use crate::source::{Found, ScanOptions};

/// How far a search beyond the load goes.
const MAX_DEPTH: usize = 16;
/// How many directories a search beyond the load lists under one root.
const MAX_DIRECTORIES: usize = 20_000;
/// How many files of a directory that is no skill are named.
const NAMED_FILES: usize = 5;
/// What is read of a file that the load did not see.
const PREFIX: usize = 64 * 1024;

/// What became of a `SKILL.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// It is a skill of the library.
    Loaded,
    /// It lost its name to another.
    Shadowed,
    /// It is an identical copy.
    Duplicate,
    /// It does not load.
    Invalid,
    /// It lies in a directory that is not searched.
    Skipped,
    /// It lies deeper than the scan goes.
    TooDeep,
    /// It lies inside another skill.
    Nested,
    /// It lies in a directory that only looks like a root.
    LookalikeRoot,
    /// It lies under no root.
    OutsideRoots,
    /// A directory of that name lies in a root, but holds no `SKILL.md`.
    NoSkillFile,
}

impl State {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Loaded => "loaded",
            Self::Shadowed => "shadowed",
            Self::Duplicate => "duplicate",
            Self::Invalid => "invalid",
            Self::Skipped => "skipped",
            Self::TooDeep => "too-deep",
            Self::Nested => "nested",
            Self::LookalikeRoot => "lookalike-root",
            Self::OutsideRoots => "outside-roots",
            Self::NoSkillFile => "no-skill-file",
        }
    }
}

/// The answer to "why is my skill not here?".
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Roots, explain::State, source::Memory};
///
/// let text = "---\nname: pdf\ndescription: Fills forms.\n---\n";
/// let memory = Memory::new().with("/skills/node_modules/x/pdf/SKILL.md", text);
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let why = library.why("pdf", None);
/// assert_eq!(why.findings[0].state, State::Skipped);
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The name that was asked for.
    pub query: String,
    /// Every `SKILL.md` that bears the name, the one that has it first.
    pub findings: Vec<Finding>,
    /// Names that are much like it, best first; only if nothing bears it.
    pub near: Vec<String>,
}

/// One `SKILL.md`, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Its path.
    pub location: PathBuf,
    /// The name it bears: the frontmatter's, or the directory's.
    pub name: String,
    /// Its id, if it can be activated.
    pub id: Option<String>,
    /// What became of it.
    pub state: State,
    /// The code of the diagnostic that goes with it, or the visibility or catalog step that keeps it from the model.
    pub code: Option<&'static str>,
    /// What happened, in a sentence.
    pub reason: String,
    /// What to do.
    pub help: String,
}

impl Library {
    /// Explains a name: what became of every `SKILL.md` that bears it, as frontmatter or directory name, as an id, or as
    /// a path, without regard to case, blanks, `-` and `_`.
    ///
    /// It looks further than the load: read-only and bounded (16 levels, 20,000 directories a root), through skipped
    /// directories, below the depth limit, inside skills and in look-alike roots. Given a `catalog`, it also says what
    /// that one shows of the skill.
    #[must_use]
    pub fn why(&self, query: &str, catalog: Option<&Catalog>) -> Explanation {
        let wanted = Wanted::new(query, self);
        let mut all = self.known(catalog);
        all.extend(self.beyond());
        let near = || nearest(query, all.iter().map(|finding| finding.name.as_str()));
        let mut findings: Vec<Finding> =
            all.iter().filter(|finding| wanted.matches(finding)).cloned().collect();
        if findings.is_empty() {
            findings.extend(self.outside(&wanted));
            findings.extend(self.places(query).filter_map(|place| self.another_way(&place, query, &all)));
        }
        let near = if findings.is_empty() { near() } else { Vec::new() };
        findings.sort_by_key(|finding| finding.state as u8);
        Explanation { query: query.to_owned(), findings, near }
    }

    /// Everything that the load saw.
    fn known(&self, catalog: Option<&Catalog>) -> Vec<Finding> {
        let entries = catalog.into_iter().flat_map(Catalog::entries);
        let shown: HashMap<&str, Shown> = entries.map(|entry| (entry.id.as_str(), entry.shown)).collect();
        let loaded = self.skills().iter().map(|skill| self.loaded(skill, shown.get(skill.id()).copied()));
        let shadowed = self.shadowed().iter().map(|shadowed| Finding {
            id: Some(shadowed.skill.id().to_owned()),
            code: Some(Code::Shadowed.as_str()),
            reason: format!("another skill has the name: {}", display_path(&shadowed.winner)),
            help: format!("rename one of them, or ask for this one as `{}`", shadowed.skill.id()),
            ..finding(State::Shadowed, shadowed.skill.location(), shadowed.skill.name())
        });
        let duplicates = self.duplicates().iter().map(|copy| Finding {
            code: Some(Code::Duplicate.as_str()),
            reason: format!("it is an identical copy of {}", display_path(&copy.of)),
            help: "nothing is lost; remove one of the copies to have one place to edit".to_owned(),
            ..finding(State::Duplicate, &copy.location, &copy.name)
        });
        let reasons: HashMap<_, _> = self.diagnostics().iter().map(|d| ((&d.path, d.code), d)).collect();
        let invalid = self.invalid().iter().map(|invalid| {
            let diagnostic = reasons.get(&(&invalid.location, invalid.code));
            Finding {
                code: Some(invalid.code.as_str()),
                reason: diagnostic.map_or_else(String::new, |diagnostic| {
                    format!("it does not load: {}", diagnostic.message)
                }),
                help: diagnostic.and_then(|diagnostic| diagnostic.help.clone()).unwrap_or_default(),
                ..finding(State::Invalid, &invalid.location, &invalid.name)
            }
        });
        loaded.chain(shadowed).chain(duplicates).chain(invalid).collect()
    }

    fn loaded(&self, skill: &Skill, shown: Option<Shown>) -> Finding {
        let (code, reason, help) = match (skill.visibility(), shown) {
            (Visibility::UserOnly, _) => (
                Some("user-only"),
                "it loads, but not for the model: `disable-model-invocation` is set, or the host says so"
                    .to_owned(),
                format!(
                    "ask for it as `/{}`, or take `disable-model-invocation` out of its frontmatter",
                    skill.name()
                ),
            ),
            (Visibility::Hidden, _) => (
                Some("hidden"),
                "it loads, but the host hides it from the model".to_owned(),
                "lift the host's rule (`--disable` on the command line)".to_owned(),
            ),
            (Visibility::Untrusted, _) => (
                Some(Code::Untrusted.as_str()),
                "it loads, but the host does not trust it".to_owned(),
                "read the skill, then allow it in the host's policy (`prowess trust` on the command line)"
                    .to_owned(),
            ),
            (_, Some(Shown::Omitted | Shown::NameOnly)) => (
                Some("budget"),
                "it loads, but the catalog's budget leaves no room for its description".to_owned(),
                "raise the budget, shorten descriptions, or set `metadata.priority: high`".to_owned(),
            ),
            (_, Some(Shown::Shortened)) => (
                Some("budget"),
                "it loads; the catalog's budget shortens its description".to_owned(),
                "say first when to use the skill, or raise the budget".to_owned(),
            ),
            _ => (
                None,
                "it loads, and the model sees it".to_owned(),
                format!("activate it as `{}`", self.call_name(skill)),
            ),
        };
        Finding {
            id: Some(skill.id().to_owned()),
            code,
            reason,
            help,
            ..finding(State::Loaded, skill.location(), skill.name())
        }
    }

    /// What the load did not see: skipped, too deep, inside a skill, in a look-alike root.
    fn beyond(&self) -> Vec<Finding> {
        let wide = ScanOptions::default().skip([""; 0]).max_depth(MAX_DEPTH).max_directories(MAX_DIRECTORIES);
        let reals = self.skills().iter().map(|skill| skill.real_location());
        let seen: HashSet<&Path> = self.locations().chain(reals).collect();
        let scan = |path: &Path| {
            let unseen =
                |found: &Found| !seen.contains(found.path.as_path()) && !seen.contains(found.real.as_path());
            self.source().scan(path, &wide).files.into_iter().filter(unseen)
        };
        let roots: Vec<&Path> = self
            .roots()
            .iter()
            .filter(|loaded| loaded.exists)
            .map(|loaded| loaded.root.path.as_path())
            .collect();
        let mut findings: Vec<Finding> =
            roots.iter().flat_map(|root| scan(root).map(|found| self.unsearched(root, &found))).collect();
        let mut skills: Vec<&Path> = self.locations().filter_map(Path::parent).collect();
        skills.sort();
        skills.dedup();
        for skill in skills.into_iter().filter(|skill| !roots.contains(skill)) {
            findings.extend(scan(skill).map(|found| self.nested(skill, &found)));
        }
        for lookalike in self.lookalikes() {
            findings.extend(scan(&lookalike.path).map(|found| Finding {
                code: Some(Code::LookalikeRoot.as_str()),
                reason: format!("{} is not searched", display_path(&lookalike.path)),
                help: format!("move the skill into {}", display_path(&lookalike.meant)),
                ..self.unread(State::LookalikeRoot, &found)
            }));
        }
        findings
    }

    /// The paths of every file that the load saw, as reached.
    fn locations(&self) -> impl Iterator<Item = &Path> {
        let skills = self.all().map(|skill| skill.location());
        let copies = self.duplicates().iter().map(|copy| copy.location.as_path());
        skills.chain(copies).chain(self.invalid().iter().map(|invalid| invalid.location.as_path()))
    }

    fn unsearched(&self, root: &Path, found: &Found) -> Finding {
        let options = self.scan_options();
        let inside =
            found.path.parent().and_then(|path| path.strip_prefix(root).ok()).unwrap_or(Path::new(""));
        let skipped = inside.components().find_map(|part| {
            let name = part.as_os_str().to_string_lossy();
            options.skip.iter().find(|skip| **skip == name)
        });
        if let Some(skipped) = skipped {
            return Finding {
                reason: format!("directories named `{skipped}` are not searched"),
                help: format!("move the skill out of `{skipped}`, up into {}", display_path(root)),
                ..self.unread(State::Skipped, found)
            };
        }
        let levels = inside.components().count();
        if levels > options.max_depth {
            return Finding {
                code: Some(Code::ScanLimit.as_str()),
                reason: format!(
                    "it lies {levels} levels below {}; the limit is {}",
                    display_path(root),
                    options.max_depth
                ),
                help: format!("move it up, or raise the depth limit (`--max-depth {levels}`)"),
                ..self.unread(State::TooDeep, found)
            };
        }
        Finding {
            code: Some(Code::ScanLimit.as_str()),
            reason: format!("the scan of {} ended before it: a limit was hit", display_path(root)),
            help: "raise the limit (`--max-directories N`), or move what is no skill out of the root"
                .to_owned(),
            ..self.unread(State::Skipped, found)
        }
    }

    fn nested(&self, skill: &Path, found: &Found) -> Finding {
        Finding {
            reason: format!(
                "it lies inside another skill, {}: what is below a SKILL.md belongs to it",
                display_path(skill)
            ),
            help: "move it beside that skill".to_owned(),
            ..self.unread(State::Nested, found)
        }
    }

    /// What has the name in a root, whatever it is.
    fn places(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let is_name = !name.is_empty() && !name.contains(['/', '\\', '\0']) && !matches!(name, "." | "..");
        let roots = self.roots().iter().filter(move |loaded| loaded.exists && is_name);
        roots.map(move |loaded| loaded.root.path.join(name))
    }

    /// A second way to a skill that is known by its first one, or a directory without a `SKILL.md`.
    fn another_way(&self, place: &Path, name: &str, known: &[Finding]) -> Option<Finding> {
        let Some(real) = self.source().real_path(&place.join(SKILL_FILE)) else {
            return self.without_file(place, name);
        };
        let skill = self.all().find(|skill| skill.real_location() == real)?;
        let finding = known.iter().find(|finding| finding.location == skill.location())?;
        let (place, location) = (display_path(place), display_path(skill.location()));
        let reason = format!("{place} is another way to {location}: {}", finding.reason);
        Some(Finding { reason, ..finding.clone() })
    }

    fn without_file(&self, place: &Path, name: &str) -> Option<Finding> {
        let source = self.source();
        if source.real_path(place).is_none() || source.read_prefix(place, 0).is_ok() {
            return None;
        }
        let files = source.resources(place, NAMED_FILES).files;
        let names: Vec<String> = files.iter().map(|file| format!("`{}`", file.path)).collect();
        let holds = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        Some(Finding {
            reason: format!("the directory holds no SKILL.md; it holds {holds}"),
            help: "name the file with frontmatter and instructions `SKILL.md`, directly in that directory"
                .to_owned(),
            ..finding(State::NoSkillFile, place, name)
        })
    }

    /// A path that leads to a `SKILL.md` under no root.
    fn outside(&self, wanted: &Wanted) -> Option<Finding> {
        if !wanted.path.is_absolute() {
            return None;
        }
        let path = [wanted.path.clone(), wanted.path.join(SKILL_FILE)];
        let file = path.into_iter().find(|path| self.source().read_prefix(path, 1).is_ok())?;
        let found = Found { real: file.clone(), path: file, kind: crate::source::FoundKind::File };
        let roots: Vec<String> = self.roots().iter().map(|loaded| display_path(&loaded.root.path)).collect();
        Some(Finding {
            reason: "it lies under none of the directories that are searched".to_owned(),
            help: format!("move it into one of them: {}", roots.join(", ")),
            ..self.unread(State::OutsideRoots, &found)
        })
    }

    /// A finding about a file that the load has not read.
    fn unread(&self, state: State, found: &Found) -> Finding {
        let bytes =
            self.source().read_prefix(&found.path, PREFIX).map(|prefix| prefix.bytes).unwrap_or_default();
        finding(state, &found.path, &parse::parse(&bytes, &found.path).frontmatter.name)
    }
}

fn finding(state: State, location: &Path, name: &str) -> Finding {
    Finding {
        location: location.to_path_buf(),
        name: name.to_owned(),
        id: None,
        state,
        code: None,
        reason: String::new(),
        help: String::new(),
    }
}

/// What was asked for, in the forms it is compared in.
struct Wanted {
    text: String,
    folded: String,
    path: PathBuf,
    real: Option<PathBuf>,
}

impl Wanted {
    fn new(query: &str, library: &Library) -> Self {
        let path = PathBuf::from(query);
        let real = if path.is_absolute() { library.source().real_path(&path) } else { None };
        Self { text: query.to_owned(), folded: fold(query), path, real }
    }

    fn matches(&self, finding: &Finding) -> bool {
        let directory = finding.location.parent().unwrap_or(Path::new(""));
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let by_name = fold(&finding.name) == self.folded || fold(&name) == self.folded;
        let by_path = [&finding.location, directory]
            .into_iter()
            .any(|path| path == self.path || self.real.as_deref() == Some(path));
        finding.id.as_ref() == Some(&self.text) || (by_name && !self.folded.is_empty()) || by_path
    }
}

#[cfg(test)]
mod tests;
