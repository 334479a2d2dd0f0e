//! A name, an id or a path to the skill that is meant.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::{Library, Origin, Shadowed};
use crate::error::{Error, ErrorKind};
use crate::near::{fold, nearest};
use crate::skill::{Skill, Visibility};
use crate::text::composed;

/// How many characters of an unknown name an error repeats.
const MAX_REPEATED: usize = 100;

type Skills = Vec<Arc<Skill>>;

#[derive(Debug, Default)]
pub(super) struct Index {
    ids: HashMap<String, Arc<Skill>>,
    names: HashMap<String, Skills>,
    directories: HashMap<String, Skills>,
    folded: HashMap<String, Skills>,
}

impl Index {
    pub(super) fn new(skills: &[Arc<Skill>], shadowed: &[Shadowed]) -> Self {
        let mut index = Self::default();
        for skill in skills.iter().chain(shadowed.iter().map(|shadowed| &shadowed.skill)) {
            index.ids.insert(skill.id().to_owned(), skill.clone());
        }
        for skill in skills {
            let directory = composed(&skill.directory_name());
            index.names.entry(skill.name().to_owned()).or_default().push(skill.clone());
            index.folded.entry(fold(skill.name())).or_default().push(skill.clone());
            index.directories.entry(directory).or_default().push(skill.clone());
        }
        index
    }
}

impl Library {
    /// Finds the skill that `query` means. In this order: the exact id, the exact name, the directory's name, the one
    /// skill that is equal without regard to case, blanks, `-` and `_`, and, for the user alone, the path of a
    /// `SKILL.md` in this library or of its directory. A skill that can take no name is meant by its exact id and name,
    /// and otherwise only where no other skill is. A request checks visibility.
    ///
    /// # Errors
    /// `UnknownSkill` with the nearest names, or `AmbiguousName` with the ids to choose from.
    pub fn find(&self, query: &str, origin: Origin) -> Result<&Arc<Skill>, Error> {
        let index = &self.0.index;
        let query_name = composed(query.trim());
        if let Some(skill) = self.find_exact(&query_name) {
            return Ok(skill);
        }
        let folded = fold(&query_name);
        let named =
            [index.names.get(&query_name), index.directories.get(&query_name), index.folded.get(&folded)];
        let of = |is_meant: fn(&&Arc<Skill>) -> bool| {
            let named =
                named.iter().flatten().map(|skills| skills.iter().filter(is_meant).collect::<Vec<_>>());
            named.into_iter().find(|skills| !skills.is_empty())
        };
        match of(can_take_names).or_else(|| of(|_| true)).as_deref() {
            Some([skill]) => return Ok(skill),
            Some(several) => return Err(ambiguous(query, several, origin)),
            None => {}
        }
        if let Some(skill) = self.find_cut(&query_name) {
            return Ok(skill);
        }
        let by_path = if origin == Origin::User { self.find_path(Path::new(query)) } else { None };
        by_path.ok_or_else(|| {
            let query: String = query.chars().take(MAX_REPEATED).collect();
            Error::new(ErrorKind::UnknownSkill, format!("no skill is named `{query}`"))
                .with_candidates(self.nearest(&query_name, origin))
        })
    }

    /// Finds the skill with exactly this id or name, if it is one skill's alone.
    #[must_use]
    pub fn find_exact(&self, query: &str) -> Option<&Arc<Skill>> {
        let query = composed(query);
        let by_name = || match self.0.index.names.get(&query).map(Vec::as_slice) {
            Some([skill]) => Some(skill),
            _ => None,
        };
        self.0.index.ids.get(&query).or_else(by_name)
    }

    /// The name a model calls a skill by: its name if that means this skill and no other, else its id.
    #[must_use]
    pub fn call_name<'a>(&self, skill: &'a Skill) -> &'a str {
        match self.find_exact(skill.name()) {
            Some(meant) if meant.id() == skill.id() => skill.name(),
            _ => skill.id(),
        }
    }

    /// A name that the catalog had to cut ends in an ellipsis.
    fn find_cut(&self, query: &str) -> Option<&Arc<Skill>> {
        let head = query.strip_suffix('…').filter(|head| !head.is_empty())?;
        let meant = self.skills().iter().filter(|skill| self.call_name(skill).starts_with(head));
        let mut meant = meant.filter(can_take_names);
        meant.next().filter(|_| meant.next().is_none())
    }

    fn find_path(&self, path: &Path) -> Option<&Arc<Skill>> {
        let copies = self.0.duplicates.iter();
        let original =
            copies.clone().find(|copy| copy.location == path || copy.location.parent() == Some(path));
        let path = original.map_or(path, |copy| &copy.of);
        let all = || self.0.skills.iter().chain(self.0.shadowed.iter().map(|shadowed| &shadowed.skill));
        let reached = all().find(|skill| skill.location == path || skill.directory == path);
        reached.or_else(|| {
            // A relative path would be resolved against the current directory, of which the core knows nothing.
            let real = self.source().real_path(path).filter(|_| path.is_absolute())?;
            all().find(|skill| skill.real == real || skill.real.parent() == Some(&real))
        })
    }

    /// The names that are most like `query`, best first, among those that `origin` may see.
    fn nearest(&self, query: &str, origin: Origin) -> Vec<String> {
        let shown = self.skills().iter().filter(|skill| is_shown(skill, origin));
        nearest(query, shown.map(|skill| skill.name()))
    }
}

fn can_take_names(skill: &&Arc<Skill>) -> bool {
    skill.visibility().is_enabled()
}

fn ambiguous(query: &str, skills: &[&Arc<Skill>], origin: Origin) -> Error {
    let shown = skills.iter().filter(|skill| is_shown(skill, origin));
    Error::new(ErrorKind::AmbiguousName, format!("several skills are meant by `{query}`"))
        .with_candidates(shown.map(|skill| skill.id()))
}

/// Whether an error may name the skill.
fn is_shown(skill: &Skill, origin: Origin) -> bool {
    match origin {
        Origin::Model => skill.is_listed(),
        Origin::User => skill.visibility() < Visibility::Untrusted,
    }
}
