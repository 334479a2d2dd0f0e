//! Names to winners: who is loaded, who is shadowed, who is a mere copy.
#![expect(
    clippy::indexing_slicing,
    reason = "the root of a candidate is one of the roots that were searched"
)]

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::load::Candidate;
use super::{Duplicate, LoadOptions, Shadowed};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::scope::{ResolvedRoot, Root};
use crate::skill::{Skill, Visibility, display_path};
use crate::source::{ALL_RESOURCES, Source};
use crate::text::composed;

/// A larger file is no copy of another one: two of them are held at a time.
const MAX_COMPARED: usize = 4 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Settled {
    pub(super) skills: Vec<Arc<Skill>>,
    pub(super) shadowed: Vec<Shadowed>,
    pub(super) duplicates: Vec<Duplicate>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Where files were reached again that are skills by a better way.
    pub(super) second_ways: HashSet<PathBuf>,
    ids: HashSet<String>,
}

/// A candidate with what decides its place among those of its name.
struct Contender {
    candidate: Candidate,
    visibility: Visibility,
}

impl Contender {
    /// Lower wins: what the host hides takes no name; then the rank; then, within one root, the directory that
    /// carries the name. Of equals, the first in path order.
    fn precedence(&self, roots: &[ResolvedRoot]) -> impl Ord + use<> {
        let Candidate { root, location, reading, .. } = &self.candidate;
        let directory = location.parent().and_then(Path::file_name).unwrap_or_default();
        let carries_name = composed(&directory.to_string_lossy()) == reading.frontmatter.name;
        (!self.visibility.is_enabled(), roots[*root].root.rank, *root, Reverse(carries_name))
    }

    fn is_copy_of(&self, winner: &Skill, source: &dyn Source) -> bool {
        let reading = &self.candidate.reading;
        let is_alike = reading.size == winner.size && reading.fingerprint == winner.fingerprint;
        if !is_alike || reading.size > MAX_COMPARED as u64 {
            return false;
        }
        let whole = |path: &Path| source.read_prefix(path, MAX_COMPARED).ok().map(|prefix| prefix.bytes);
        let bytes = whole(&self.candidate.location);
        let resources = |path: &Path| source.resources(path.parent().unwrap_or(path), ALL_RESOURCES);
        let is_same_text = bytes.is_some() && bytes == whole(&winner.location);
        is_same_text && {
            let own = resources(&self.candidate.location);
            !own.is_cut && own == resources(&winner.location)
        }
    }
}

pub(super) fn settle(candidates: Vec<Candidate>, roots: &[ResolvedRoot], options: &LoadOptions) -> Settled {
    let mut contenders: Vec<Contender> = candidates
        .into_iter()
        .map(|candidate| Contender { visibility: visibility(&candidate, roots, options), candidate })
        .collect();
    contenders.sort_by_cached_key(|contender| contender.precedence(roots));
    let mut reals = HashSet::new();
    let mut by_name: BTreeMap<String, Vec<Contender>> = BTreeMap::new();
    let mut settled = Settled::default();
    for contender in contenders {
        // One real file is one skill: the best way to reach it counts.
        if reals.insert(contender.candidate.real.clone()) {
            by_name.entry(contender.candidate.reading.frontmatter.name.clone()).or_default().push(contender);
        } else {
            settled.second_ways.insert(contender.candidate.location);
        }
    }
    for contenders in by_name.into_values() {
        settled.settle_name(contenders, roots, options.source.as_ref());
    }
    settled.skills.sort_by(|a, b| (a.name(), &a.id).cmp(&(b.name(), &b.id)));
    settled.shadowed.sort_by(|a, b| a.skill.id.cmp(&b.skill.id));
    settled.duplicates.sort_by(|a, b| a.location.cmp(&b.location));
    settled.diagnostics.sort_by(|a, b| a.path.cmp(&b.path));
    settled
}

fn visibility(candidate: &Candidate, roots: &[ResolvedRoot], options: &LoadOptions) -> Visibility {
    let frontmatter = &candidate.reading.frontmatter;
    let own = match frontmatter.disable_model_invocation {
        true => Visibility::UserOnly,
        false => Visibility::Listed,
    };
    let root = &roots[candidate.root].root;
    let visibility = own.max(options.policy.visibility(root.scope.as_str(), &frontmatter.name));
    match options.policy.trust.trusts(root, &candidate.location, options.source.as_ref()) {
        true => visibility,
        false => Visibility::Untrusted,
    }
}

impl Settled {
    /// Settles the contenders for one name, best first.
    fn settle_name(&mut self, contenders: Vec<Contender>, roots: &[ResolvedRoot], source: &dyn Source) {
        let mut winners: Vec<Arc<Skill>> = Vec::new();
        for contender in contenders {
            if let Some(winner) = winners.iter().find(|winner| contender.is_copy_of(winner, source)) {
                self.add_duplicate(contender.candidate, winner);
                continue;
            }
            let root = contender.candidate.root;
            let shares_rank = winners.iter().all(|winner| {
                winner.rank == roots[root].root.rank
                    && winner.scope != roots[root].root.scope
                    && winner.visibility.is_enabled() == contender.visibility.is_enabled()
            });
            let skill = self.name_skill(contender, &roots[root].root);
            self.diagnostics.extend(untrusted(&skill));
            if shares_rank {
                self.skills.push(skill.clone());
                winners.push(skill);
            } else {
                let own = winners.iter().find(|winner| winner.scope == skill.scope);
                // Whoever shares no rank has a winner before it.
                if let Some(winner) = own.or(winners.first()) {
                    self.add_shadowed(skill, winner);
                }
            }
        }
    }

    /// Gives the skill the first id that is free: `scope:name`, else with its directory behind an `@`. Directories that
    /// are no text may look alike; those are numbered.
    fn name_skill(&mut self, contender: Contender, root: &Root) -> Arc<Skill> {
        let Contender { candidate: Candidate { root: root_index, location, real, reading, .. }, visibility } =
            contender;
        let directory = location.parent().unwrap_or(Path::new("")).to_path_buf();
        let short = format!("{}:{}", root.scope, reading.frontmatter.name);
        let id = if self.ids.contains(&short) { self.long_id(&short, &directory, root) } else { short };
        self.ids.insert(id.clone());
        Arc::new(Skill {
            id,
            scope: root.scope.clone(),
            rank: root.rank,
            root: root_index,
            location,
            real,
            directory,
            frontmatter: reading.frontmatter.clone(),
            size: reading.size,
            body_bytes: reading.body_bytes,
            fingerprint: reading.fingerprint,
            visibility,
        })
    }

    fn long_id(&self, short: &str, directory: &Path, root: &Root) -> String {
        let at = |directory: &Path| format!("{short}@{}", composed(&display_path(directory)));
        let (long, longest) = (at(&relative(directory, &root.base)), at(directory));
        let numbered = (2..).map(|number: usize| format!("{longest}#{number}"));
        let ids = [long, longest.clone()].into_iter().chain(numbered);
        ids.into_iter().find(|id| !self.ids.contains(id)).unwrap_or_default()
    }

    fn add_duplicate(&mut self, candidate: Candidate, winner: &Skill) {
        let message = format!("an identical copy of `{}`", display_path(&winner.location));
        self.diagnostics
            .push(Diagnostic::new(Code::Duplicate, &candidate.location, message).related(&winner.location));
        self.duplicates.push(Duplicate {
            name: candidate.reading.frontmatter.name.clone(),
            location: candidate.location,
            of: winner.location.clone(),
        });
    }

    fn add_shadowed(&mut self, skill: Arc<Skill>, winner: &Skill) {
        let message = format!("skill `{}` is shadowed by `{}`", skill.name(), display_path(&winner.location));
        let severity = if skill.visibility.is_enabled() { Severity::Warning } else { Severity::Info };
        self.diagnostics.push(
            Diagnostic::new(Code::Shadowed, &skill.location, message)
                .severity(severity)
                .help(format!("rename one of them, or ask for this one as `{}`", skill.id))
                .related(&winner.location),
        );
        self.shadowed.push(Shadowed { skill, winner: winner.location.clone() });
    }
}

/// The way from `base` to `directory`, through `..` where it is not below.
fn relative(directory: &Path, base: &Path) -> PathBuf {
    let common =
        directory.components().zip(base.components()).take_while(|(one, other)| one == other).count();
    let up = base.components().skip(common).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(directory.components().skip(common)).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

fn untrusted(skill: &Skill) -> Option<Diagnostic> {
    (skill.visibility == Visibility::Untrusted).then(|| {
        Diagnostic::new(Code::Untrusted, &skill.location, format!("skill `{}` is not trusted", skill.name()))
            .help("read the skill, then allow it in the host's policy (`prowess trust` on the command line)")
    })
}
