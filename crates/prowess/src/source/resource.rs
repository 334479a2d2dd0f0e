//! The rules about a skill's other files: what is listed, and which file a path means.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::scan::{Kind, Tree, is_skill_file, prefer_skill_file};
use crate::skill::display_path;
use crate::source::{Content, Part, Resource, Resources};

/// The names of directories that hold nothing of the skill's own: what lies in them is not listed among its resources.
/// Build output is, as a skill may ship it.
pub const NOT_LISTED: &[&str] =
    &[".git", ".hg", ".jj", ".svn", ".venv", "__pycache__", "bower_components", "node_modules", "venv"];

/// How many entries a listing looks at.
const MAX_ENTRIES: usize = 100_000;

/// How many files an error names, and among how many it looks for the nearest.
const MAX_CANDIDATES: usize = 20;
const MAX_COMPARED: usize = 1_000;
/// How many characters of the path that was asked for are compared.
const MAX_ASKED: usize = 256;

/// Lists the files below a directory by [`Source::resources`](crate::source::Source::resources)' rules.
pub(super) fn list(tree: &dyn Tree, directory: &Path, cap: usize) -> Resources {
    let Ok(real) = tree.canonical(directory) else {
        return Resources::default();
    };
    let Paths { mut paths, mut outside, is_cut } = paths(tree, &real);
    outside.sort_unstable();
    let total = paths.len();
    paths.sort_unstable();
    paths.truncate(cap);
    let size = |path: &Path| {
        let stat = tree.resolve(path).and_then(|(real, _)| tree.stat(&real));
        stat.map_or(0, |stat| stat.size)
    };
    let files = paths.into_iter().map(|(path, place)| Resource { path, size: size(&place) }).collect();
    Resources { files, total, is_cut, outside }
}

/// Lists by [`Source::contents`](crate::source::Source::contents)' rules.
pub(super) fn contents(tree: &dyn Tree, skill_file: &Path, max: usize) -> Result<Vec<Content>, Error> {
    let directory = skill_file.parent().unwrap_or(skill_file);
    let real = tree.canonical(directory).map_err(|error| Error::io(directory, error))?;
    let (mut contents, mut seen) = (Vec::new(), 0);
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        let place = real.join(&folder);
        let mut entries = Vec::new();
        tree.list(&place, &mut |name, kind| {
            seen += 1;
            if seen <= max {
                entries.push((folder.join(name), kind));
            }
        })
        .map_err(|error| Error::io(&place, error))?;
        if seen > max {
            let message =
                format!("`{}` holds more than {max} files, folders and links", display_path(directory));
            return Err(Error::new(ErrorKind::BodyTooLarge, message).with_path(directory));
        }
        for (path, kind) in entries {
            match kind {
                _ if Some(path.as_os_str()) == skill_file.file_name() => {}
                Kind::Directory => waiting.push(path),
                Kind::File => contents.push(Content::File(path)),
                Kind::Link => {
                    let target = target(tree, &real, &path)?;
                    contents.push(Content::Link(path, target));
                }
                // Nothing that anybody reads by these rules.
                Kind::Other(_) => {}
            }
        }
    }
    contents.sort_unstable();
    Ok(contents)
}

/// Where a link inside a directory leads to; none if that is nowhere.
fn target(tree: &dyn Tree, directory: &Path, link: &Path) -> Result<Option<PathBuf>, Error> {
    let place = directory.join(link);
    let Ok(target) = tree.canonical(&place) else { return Ok(None) };
    let inside = target.strip_prefix(directory).map(Path::to_path_buf);
    inside.map(Some).map_err(|_| {
        let (link, target) = (display_path(&place), display_path(&target));
        let message = format!("`{link}` is a link to `{target}`, out of the skill's directory");
        Error::new(ErrorKind::NotConfined, message).with_path(place)
    })
}

/// Reads a resource with `open`, which gives `None` where no regular file stands; a path without extension may mean
/// the one file of that stem.
pub(super) fn read(
    tree: &dyn Tree,
    directory: &Path,
    resource: &str,
    open: &dyn Fn(&str) -> Result<Option<Part>, Error>,
) -> Result<Part, Error> {
    let path = confined(resource)?;
    if let Some(part) = open(&path)? {
        return Ok(part);
    }
    let same_stem =
        if Path::new(&path).extension().is_none() { same_stem(tree, directory, &path) } else { Vec::new() };
    if let [only] = same_stem.as_slice()
        && let Some(part) = open(only)?
    {
        return Ok(part);
    }
    let candidates = if same_stem.len() > 1 { same_stem } else { nearest(tree, directory, &path) };
    let error =
        Error::new(ErrorKind::UnknownResource, format!("the skill has no file `{}`", shown(resource)));
    Err(error.with_path(directory).with_candidates(candidates.into_iter().take(MAX_CANDIDATES)))
}

/// The error for a path that leads out of the skill.
pub(super) fn not_confined(resource: &str) -> Error {
    Error::new(ErrorKind::NotConfined, format!("`{}` leads out of the skill's directory", shown(resource)))
}

/// As much of a path as a message repeats.
fn shown(resource: &str) -> String {
    resource.chars().take(MAX_ASKED).collect()
}

/// The path in its plain form, `/` between names, if it can't lead upwards.
pub(crate) fn confined(resource: &str) -> Result<String, Error> {
    let climbs = resource.split(['/', '\\']).any(|name| name == "..");
    if climbs || resource.starts_with('\\') || resource.contains('\0') {
        return Err(not_confined(resource));
    }
    let mut names = Vec::new();
    for component in Path::new(resource).components() {
        match component {
            Component::Normal(name) => names.push(name.to_string_lossy()),
            Component::CurDir => {}
            _ => return Err(not_confined(resource)),
        }
    }
    Ok(names.join("/"))
}

#[derive(Default)]
struct Paths {
    /// Every regular file: its path relative to the directory with `/`, and its place.
    paths: Vec<(String, PathBuf)>,
    /// The links that lead out.
    outside: Vec<String>,
    is_cut: bool,
}

/// What lies below a real directory. Breadth-first and sorted, so that the bound on entries cuts the same whatever the order
/// of a listing.
fn paths(tree: &dyn Tree, real: &Path) -> Paths {
    let mut found = Paths::default();
    let mut seen = 0;
    let mut waiting = VecDeque::from([(String::new(), real.to_path_buf())]);
    while let Some((prefix, directory)) = waiting.pop_front() {
        let mut entries = entries(tree, &directory);
        if prefix.is_empty() {
            leave_out_skill_file(&mut entries);
        }
        for (name, kind) in entries {
            seen += 1;
            if seen > MAX_ENTRIES {
                return Paths { is_cut: true, ..found };
            }
            let place = directory.join(&name);
            let path = format!("{prefix}{}", name.to_string_lossy());
            match kind {
                Kind::Directory if !NOT_LISTED.iter().any(|skip| name == *skip) => {
                    waiting.push_back((path + "/", place));
                }
                Kind::File => found.paths.push((path, place)),
                Kind::Link => match tree.resolve(&place) {
                    Ok((target, _)) if !target.starts_with(real) => found.outside.push(path),
                    Ok((_, Kind::File)) => found.paths.push((path, place)),
                    _ => {}
                },
                _ => {}
            }
        }
    }
    found
}

/// What is in a directory, sorted; of more than a listing looks at only the first, and one to show that there are more.
fn entries(tree: &dyn Tree, directory: &Path) -> Vec<(OsString, Kind)> {
    let mut entries = Vec::new();
    let settle = |entries: &mut Vec<(OsString, Kind)>| {
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        entries.truncate(MAX_ENTRIES + 1);
    };
    // What can't be listed has no files to offer; the scan is what reports it.
    let _ = tree.list(directory, &mut |name, kind| {
        entries.push((name.to_os_string(), kind));
        if entries.len() > 2 * MAX_ENTRIES {
            settle(&mut entries);
        }
    });
    settle(&mut entries);
    entries
}

fn leave_out_skill_file(entries: &mut Vec<(OsString, Kind)>) {
    let names = entries.iter().map(|(name, _)| name.as_os_str()).filter(|name| is_skill_file(name));
    let skill_file = names.reduce(prefer_skill_file).map(OsStr::to_os_string);
    entries.retain(|(name, _)| Some(name) != skill_file.as_ref());
}

/// The files beside `path` whose name without extension is `path`'s.
fn same_stem(tree: &dyn Tree, directory: &Path, path: &str) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let stem = Path::new(path).file_name();
    let is_file = |kind: &Kind| matches!(kind, Kind::File | Kind::Link);
    let entries = entries(tree, &directory.join(folder)).into_iter();
    let same = entries.filter(|(name, kind)| is_file(kind) && Path::new(name).file_stem() == stem);
    let join = |name: Cow<'_, str>| {
        if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") }
    };
    same.map(|(name, _)| join(name.to_string_lossy())).collect()
}

/// The skill's files, those in the folder that was asked for first, then by likeness.
fn nearest(tree: &dyn Tree, directory: &Path, path: &str) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = |file: &str| {
        let in_folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        in_folder == path || (!folder.is_empty() && in_folder == folder)
    };
    let files = list(tree, directory, MAX_COMPARED).files;
    let mut files: Vec<String> = files.into_iter().map(|file| file.path).collect();
    let asked: String = path.to_lowercase().chars().take(MAX_ASKED).collect();
    files.sort_by_cached_key(|file| (!beside(file), strsim::levenshtein(&file.to_lowercase(), &asked)));
    files
}
