//! What `check` looks for beyond a load: descriptions that overlap, files that a body names and that are not there,
//! paths and links that leave the skill, text that a reader doesn't see, outsized entries.

mod body;
mod hidden;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use self::body::Body;
use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic};
use crate::library::Library;
use crate::scan::SKILL_FILE;
use crate::skill::{Skill, display_path};
use crate::source::ALL_RESOURCES;
use crate::text::words;

/// From this similarity on, two descriptions overlap. Among fifty descriptions written to be told apart, the most similar
/// pair has 0.18; a pair that differs in one word of eight has 0.75.
const OVERLAP: f64 = 0.5;
/// Fewer shared words say nothing.
const SHARED_WORDS: usize = 3;
/// Where a name in code font is taken for a file of the skill.
const FOLDERS: [&str; 3] = ["scripts/", "references/", "assets/"];

/// Looks for what a load does not: `overlap`, `missing-resource`, `path-outside-skill`, `link-outside-skill`,
/// `hidden-comment`, `hidden-unicode` in bodies, and `catalog-share`.
///
/// * `overlap`: the similarity of two listed descriptions is the number of words they share over the number of words they
///   have together (Jaccard), in lower case, without stop words and plural `s`; from 0.5 on, it is said once for the pair.
/// * `missing-resource`, `path-outside-skill`: link targets of the body, and names in code font below `scripts/`,
///   `references/` and `assets/`. What stands in a code block is an example.
/// * `link-outside-skill`: links in the skill's directory that lead out of it. What they lead to is neither listed nor read.
/// * `hidden-comment`: HTML comments, and link definitions that serve as comments, of four words or more. A model reads
///   them, and who reads the page rendered does not. Fewer words are a marker. A comment that begins like a licence, a
///   note to oneself or a tool's mark is information, any other a warning. What stands in a code block is an example.
/// * `hidden-unicode`: the characters that a load looks for in the frontmatter, in the whole body, once for each skill.
/// * `catalog-share`: the entries that [`Catalog::outsized`] points out.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Catalog, CatalogOptions, Library, LoadOptions, Roots, lint, source::Memory};
///
/// let text = "---\nname: pdf\ndescription: Fills forms.\n---\nSee [fields](references/fields.md).";
/// let roots = Roots::new().with("user", "/skills")?;
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", text);
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let found = lint::lint(&library, &Catalog::build(&library, &CatalogOptions::new()));
/// assert_eq!(found[0].code.as_str(), "missing-resource");
/// # Ok::<(), prowess::Error>(())
/// ```
#[must_use]
pub fn lint(library: &Library, catalog: &Catalog) -> Vec<Diagnostic> {
    let mut diagnostics = overlaps(library);
    diagnostics.extend(shares(library, catalog));
    for skill in library.all() {
        diagnostics.extend(of_skill(library, skill));
    }
    diagnostics.sort_by(|a, b| a.path.cmp(&b.path));
    diagnostics
}

/// Everything that is wrong with a library: what its load found and what [`lint`] does, by path and place.
#[must_use]
pub fn check(library: &Library, catalog: &Catalog) -> Vec<Diagnostic> {
    let mut diagnostics = library.diagnostics().to_vec();
    diagnostics.extend(lint(library, catalog));
    diagnostics.sort_by_key(|diagnostic| (diagnostic.path.clone(), diagnostic.span.map(|span| span.start)));
    diagnostics
}

/// Pairs that reach the bound. Two sets can only reach it if they share one of the rarest words of each, so only those are
/// looked up: the work grows with the pairs that are alike, not with all pairs.
fn overlaps(library: &Library) -> Vec<Diagnostic> {
    let skills: Vec<&Skill> = library.listed().map(AsRef::as_ref).collect();
    let sets: Vec<BTreeSet<String>> = skills.iter().map(|skill| words(skill.description())).collect();
    let mut frequency: HashMap<&str, usize> = HashMap::new();
    for word in sets.iter().flatten() {
        *frequency.entry(word).or_default() += 1;
    }
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (index, set) in sets.iter().enumerate() {
        let mut rarest: Vec<&str> = set.iter().map(String::as_str).collect();
        rarest.sort_by_key(|word| (frequency.get(word), *word));
        rarest.truncate(set.len() - (set.len() as f64 * OVERLAP).ceil() as usize + 1);
        let mut others: Vec<usize> =
            rarest.iter().filter_map(|word| holders.get(word)).flatten().copied().collect();
        others.sort_unstable();
        others.dedup();
        let described = |at: usize| skills.get(at).copied().zip(sets.get(at));
        let pairs = others.into_iter().filter_map(|other| described(other).zip(described(index)));
        found.extend(pairs.filter_map(|(one, other)| overlap(one, other)));
        for word in rarest {
            holders.entry(word).or_default().push(index);
        }
    }
    found
}

fn overlap(one: (&Skill, &BTreeSet<String>), other: (&Skill, &BTreeSet<String>)) -> Option<Diagnostic> {
    let shared = one.1.intersection(other.1).count();
    let similarity = shared as f64 / one.1.union(other.1).count() as f64;
    (shared >= SHARED_WORDS && similarity >= OVERLAP).then(|| {
        let message = format!(
            "the descriptions of `{}` and `{}` share {:.0} % of their words; the bound is {:.0} %",
            one.0.name(),
            other.0.name(),
            similarity * 100.0,
            OVERLAP * 100.0
        );
        Diagnostic::new(Code::Overlap, one.0.location(), message)
            .help("say in each when to use it and when to use the other")
            .related(other.0.location())
    })
}

fn shares(library: &Library, catalog: &Catalog) -> Vec<Diagnostic> {
    let outsized = catalog.outsized().filter_map(|entry| Some((entry, library.find_exact(&entry.id)?)));
    let said = outsized.map(|(entry, skill)| {
        let share = catalog.share(entry) * 100.0;
        let message = format!(
            "`{}` takes {} tokens of every turn, {share:.0} % of the catalog",
            entry.name, entry.tokens
        );
        Diagnostic::new(Code::CatalogShare, skill.location(), message)
            .help("say in the description when to use the skill, and in the body how to work")
    });
    said.collect()
}

/// What is wrong with a skill's body and its files, in the order of the body.
fn of_skill(library: &Library, skill: &Skill) -> Vec<Diagnostic> {
    let resources = library.resources(skill, ALL_RESOURCES);
    let files: BTreeSet<&str> = resources.files.iter().map(|file| file.path.as_str()).collect();
    let mut found: Vec<Diagnostic> = Vec::new();
    if let Some(body) = Body::read(library, skill) {
        let named = targets(&body.text).into_iter();
        let named =
            named.filter_map(|(target, range)| Some((fault(skill.location(), &target, &files)?, range)));
        // What a listing that is cut lacks may be there.
        let named = named.filter(|(fault, _)| !resources.is_cut || fault.code != Code::MissingResource);
        let all = named.chain(hidden::comments(&body)).chain(hidden::characters(&body));
        found.extend(body.placed(all.collect()));
    }
    found.extend(resources.outside.iter().map(|link| outside(library, skill, link)));
    found
}

fn outside(library: &Library, skill: &Skill, link: &str) -> Diagnostic {
    let place = skill.directory().join(link);
    let target = library
        .source()
        .real_path(&place)
        .map_or_else(String::new, |target| format!(" to `{}`", display_path(&target)));
    let message = format!("`{link}` is a link{target}, out of the skill's directory");
    Diagnostic::new(Code::LinkOutsideSkill, skill.location(), message)
        .help("put what it leads to into the skill's directory: a host neither lists nor reads it there")
        .related(place)
}

fn fault(location: &Path, target: &str, files: &BTreeSet<&str>) -> Option<Diagnostic> {
    let Some(inside) = inside(target) else {
        let message = format!("`{target}` leads out of the skill's directory");
        let help = "bring the file into the skill's directory: a host reads nothing outside of it";
        return Some(Diagnostic::new(Code::PathOutsideSkill, location, message).help(help));
    };
    // A directory, or a name without its extension, will do.
    let is_some =
        |start: String| files.range(start.as_str()..).next().is_some_and(|file| file.starts_with(&start));
    if inside.is_empty()
        || inside == SKILL_FILE
        || files.contains(inside.as_str())
        || is_some(format!("{inside}/"))
        || is_some(format!("{inside}."))
    {
        return None;
    }
    let message = format!("the body names `{target}`, which is not in the skill's directory");
    Some(Diagnostic::new(Code::MissingResource, location, message).help("add the file, or correct its name"))
}

/// A path inside the skill's directory, without `.` and `..`; none if it leads out.
fn inside(target: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if target.starts_with('/') {
        return None;
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The files that a body names, with the first place of each.
fn targets(body: &str) -> BTreeMap<String, Range<usize>> {
    let mut targets = BTreeMap::new();
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        let target = match event {
            Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
                linked_file(link_type, &dest_url)
            }
            Event::Code(code) => coded_file(&code),
            _ => None,
        };
        if let Some(target) = target {
            targets.entry(target).or_insert(range);
        }
    }
    targets
}

fn linked_file(link_type: LinkType, url: &str) -> Option<String> {
    let path = url.split(['#', '?']).next().unwrap_or_default();
    let is_link = !matches!(link_type, LinkType::Autolink | LinkType::Email);
    let is_template = path.contains(['<', '>', '{', '}', '$', '*', '%', ' ', '(']) || path.contains("...");
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_page = path.starts_with('/') && !name.contains('.');
    let is_path = !path.is_empty() && !path.contains(':') && !path.starts_with(['~', '@']) && !is_page;
    // A bare word in parentheses is more often prose or code than a file.
    let is_file = path.contains('/') || name.contains('.');
    (is_link && is_path && is_file && !is_template).then(|| path.to_owned())
}

fn coded_file(code: &str) -> Option<String> {
    let path = code.split_whitespace().next()?;
    let path = path.strip_prefix("./").unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_plain = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_'));
    let has_extension =
        name.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && !extension.is_empty());
    let is_file = FOLDERS.iter().any(|folder| path.starts_with(folder)) && is_plain && has_extension;
    (is_file && !path.contains("...")).then(|| path.to_owned())
}

#[cfg(test)]
mod tests;
