use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::{Node, Tree};

/// The fields of a case; a misspelt one is an error, or it would never be checked.
const FIELDS: [&str; 13] = [
    "title",
    "why",
    "known_gap",
    "tree",
    "project",
    "home",
    "roots",
    "preset",
    "disable",
    "policy",
    "limits",
    "expect",
    "steps",
];

/// One case: a tree, what to ask about it, and the answers.
#[derive(Debug)]
pub struct Case {
    name: String,
    fields: Map<String, Json>,
    /// Laid in this order: links last.
    tree: Vec<(String, Json)>,
    steps: Vec<Step>,
}

/// Every case of the suite, by topic and name.
///
/// # Panics
/// If a file is no case.
#[must_use]
pub fn cases() -> Vec<Arc<Case>> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/conformance/cases");
    let mut cases: Vec<Arc<Case>> = entries(&suite)
        .iter()
        .flat_map(|topic| entries(topic))
        .filter(|file| file.extension().is_some_and(|extension| extension == "json"))
        .map(|file| Arc::new(Case::read(&suite, &file)))
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    entries.map(|entry| entry.expect("an entry of the suite").path()).collect()
}

impl Case {
    fn read(suite: &Path, file: &Path) -> Self {
        let name = file.strip_prefix(suite).unwrap_or(file).with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let fields: Map<String, Json> =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let unknown: Vec<&String> = fields.keys().filter(|key| !FIELDS.contains(&key.as_str())).collect();
        assert!(unknown.is_empty(), "{name}: unknown fields {unknown:?}");
        let of = |key: &str| fields.get(key).and_then(Json::as_object).cloned();
        let mut tree: Vec<(String, Json)> = of("tree").unwrap_or_default().into_iter().collect();
        tree.sort_by_key(|(path, node)| (node.get("link").is_some(), path.clone()));
        let first = of("expect").map(|expect| Step::list(&expect));
        let later = fields.get("steps").and_then(Json::as_array).into_iter().flatten();
        let steps: Vec<Step> = first.into_iter().chain(later.map(Step::new)).collect();
        assert!(
            fields.contains_key("title") && !steps.is_empty(),
            "{name}: a case has a title and expects something"
        );
        Self { name, fields, tree, steps }
    }

    /// Its topic and name, as in `names/of-directory`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn known_gap(&self) -> Option<&str> {
        self.fields.get("known_gap").and_then(Json::as_str)
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The path and bytes of each plain file in the case's tree.
    pub fn files(&self) -> impl Iterator<Item = (&str, Vec<u8>)> {
        self.tree.iter().filter_map(|(path, laid)| match node(laid) {
            Node::Text(text) => Some((path.as_str(), text.into_bytes())),
            Node::Bytes(bytes) => Some((path.as_str(), bytes)),
            _ => None,
        })
    }

    /// Lays the tree out, with the project's and the home's directories.
    #[must_use]
    pub fn lay(&self) -> Tree {
        let laid = |tree: Tree, (path, node): &(String, Json)| tree.lay(path, node);
        let tree = self.tree.iter().fold(Tree::new(), laid);
        ["project", "home"].iter().fold(tree, |tree, which| {
            let directory = self.place(which);
            if tree.at(directory).exists() { tree } else { tree.with(directory, Node::Directory) }
        })
    }

    fn place(&self, which: &'static str) -> &str {
        self.fields.get(which).and_then(Json::as_str).unwrap_or(which)
    }

    fn list(&self, key: &str) -> Vec<Json> {
        self.fields.get(key).and_then(Json::as_array).cloned().unwrap_or_default()
    }
}

/// What is laid at a path of a case's tree.
pub(super) fn node(node: &Json) -> Node {
    let field = |key: &str| node.get(key).and_then(Json::as_str);
    match node {
        Json::String(text) => return Node::Text(text.clone()),
        Json::Array(lines) => return Node::Text(lines.iter().map(line).collect()),
        _ => {}
    }
    if let Some(encoded) = field("base64") {
        return Node::Bytes(base64(encoded));
    }
    if let Some(target) = field("link") {
        return Node::Link(target.into());
    }
    if let Some(repeat) = node.get("repeat") {
        let text = |key: &str| repeat.get(key).and_then(Json::as_str).unwrap_or_default();
        let count = repeat.get("count").and_then(Json::as_u64).unwrap_or(0);
        let unit = text("unit").repeat(usize::try_from(count).expect("a count that fits"));
        return Node::Text(format!("{}{unit}{}", text("head"), text("tail")));
    }
    match field("special") {
        Some("directory") => Node::Directory,
        Some("fifo") => Node::Fifo,
        Some("socket") => Node::Socket,
        Some("device") => Node::Device,
        Some("unreadable-file") => Node::UnreadableFile,
        Some("unreadable-directory") => Node::UnreadableDirectory,
        _ => panic!("no node: {node}"),
    }
}

fn line(line: &Json) -> String {
    format!("{}\n", line.as_str().expect("lines are strings"))
}

/// Decodes base64 with the usual alphabet.
fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text
        .bytes()
        .filter(|byte| *byte != b'=')
        .map(|byte| ALPHABET.iter().position(|digit| *digit == byte).expect("a base64 digit"));
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_usize, 0_u32);
    for digit in digits {
        bits = (bits << 6) | digit;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xFF).expect("eight bits"));
        }
    }
    bytes
}

/// Where a case's tree lies, and how its runtime is to be started.
#[derive(Debug, Clone)]
pub struct Place {
    case: Arc<Case>,
    base: PathBuf,
}

impl Place {
    pub(super) fn new(case: &Arc<Case>, base: &Path) -> Self {
        Self { case: case.clone(), base: base.to_path_buf() }
    }

    /// The directory that holds the tree.
    #[must_use]
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The working directory.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.base.join(self.case.place("project"))
    }

    /// The user's home.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.base.join(self.case.place("home"))
    }

    /// The directory of the organisation's skills.
    #[must_use]
    pub fn enterprise(&self) -> PathBuf {
        self.base.join("enterprise")
    }

    /// Roots instead of the default ones: label, directory, and whether it shares the rank of the one before.
    #[must_use]
    pub fn roots(&self) -> Vec<(String, PathBuf, bool)> {
        let root = |root: &Json| {
            let text = root.as_str().expect("a root is text");
            let (scope, directory) = text.split_once('=').expect("a root is `scope=directory`");
            let label = scope.trim_start_matches('+');
            (label.to_owned(), self.base.join(directory), scope.starts_with('+'))
        };
        self.case.list("roots").iter().map(root).collect()
    }

    /// Whether the user's skills come before the project's.
    #[must_use]
    pub fn prefers_user(&self) -> bool {
        self.case.fields.get("preset").and_then(Json::as_str) == Some("claude")
    }

    /// Patterns of the skills that the host hides.
    #[must_use]
    pub fn disabled(&self) -> Vec<String> {
        let patterns = self.case.list("disable");
        patterns.iter().filter_map(|pattern| pattern.as_str().map(str::to_owned)).collect()
    }

    /// The host's other rules, each `{"scope" or "pattern": ..., "is": visibility}` or `{"allow": pattern}`.
    #[must_use]
    pub fn policy(&self) -> Vec<Json> {
        self.case.list("policy")
    }

    /// A limit of the scan: `depth` or `directories`.
    #[must_use]
    pub fn limit(&self, which: &str) -> Option<usize> {
        let limit = self.case.fields.get("limits")?.get(which)?.as_u64()?;
        usize::try_from(limit).ok()
    }

    /// The files of the tree, if it holds nothing but files and nothing about it changes.
    #[must_use]
    pub fn plain_files(&self) -> Option<Vec<(PathBuf, Vec<u8>)>> {
        let changes = self.case.steps.iter().any(|step| step.changes());
        let file = |(path, json): &(String, Json)| match node(json) {
            Node::Text(text) => Some((self.base.join(path), text.into_bytes())),
            Node::Bytes(bytes) => Some((self.base.join(path), bytes)),
            _ => None,
        };
        self.case.tree.iter().map(file).collect::<Option<_>>().filter(|_| !changes)
    }
}

/// A change of the tree, or a question with its expected answer.
#[derive(Debug)]
pub(super) struct Step {
    fields: Map<String, Json>,
    expect: Map<String, Json>,
}

impl Step {
    fn list(expect: &Map<String, Json>) -> Self {
        Self { fields: Map::from_iter([("ask".to_owned(), "list".into())]), expect: expect.clone() }
    }

    fn new(step: &Json) -> Self {
        let mut fields = step.as_object().expect("a step is an object").clone();
        let expect = fields.remove("expect");
        Self { fields, expect: expect.and_then(|expect| expect.as_object().cloned()).unwrap_or_default() }
    }

    fn changes(&self) -> bool {
        !self.fields.contains_key("ask")
    }

    /// Writes and removes what the step says.
    pub(super) fn change(&self, tree: Tree) -> Tree {
        for path in self.fields.get("remove").and_then(Json::as_array).into_iter().flatten() {
            tree.remove(path.as_str().expect("a path"));
        }
        let written = self.fields.get("write").and_then(Json::as_object);
        written.into_iter().flatten().fold(tree, |tree, (path, node)| tree.lay(path, node))
    }

    pub(super) fn question(&self, base: &Path) -> Option<Question<'_>> {
        let ask = self.fields.get("ask")?.as_str()?;
        let base = base.to_string_lossy();
        let fields = self.fields.iter().map(|(key, value)| {
            let value = map_texts(value, &|text| text.replace("{tree}", &base));
            (key.clone(), value)
        });
        Some(Question { ask, fields: fields.collect(), expect: &self.expect })
    }
}

/// The same value with every text in it changed.
pub(super) fn map_texts(value: &Json, change: &dyn Fn(&str) -> String) -> Json {
    match value {
        Json::String(text) => change(text).into(),
        Json::Array(items) => items.iter().map(|item| map_texts(item, change)).collect(),
        Json::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| (key.clone(), map_texts(value, change)));
            Json::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// What is asked: a verb and its arguments, with the directory of the tree in place of `{tree}`.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    ask: &'a str,
    fields: Map<String, Json>,
    pub(super) expect: &'a Map<String, Json>,
}

impl Question<'_> {
    /// The verb.
    #[must_use]
    pub fn ask(&self) -> &str {
        self.ask
    }

    /// The question as an adapter gets it: with its case's directories and options.
    #[must_use]
    pub fn to_json(&self, place: &Place) -> Json {
        let mut asked = self.fields.clone();
        let directories = [
            ("tree", place.base().to_path_buf()),
            ("project", place.project()),
            ("home", place.home()),
            ("enterprise", place.enterprise()),
        ];
        asked.extend(directories.map(|(key, path)| (key.to_owned(), path.to_string_lossy().into())));
        for option in ["roots", "preset", "disable", "policy", "limits"] {
            let given = place.case.fields.get(option);
            asked.extend(given.map(|given| (option.to_owned(), given.clone())));
        }
        asked.into()
    }

    /// An argument that is a text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        Some(self.fields.get(key)?.as_str()?.to_owned())
    }

    /// An argument that is a list of texts.
    #[must_use]
    pub fn texts(&self, key: &str) -> Vec<String> {
        let texts = self.fields.get(key).and_then(Json::as_array);
        let texts = texts.into_iter().flatten().filter_map(Json::as_str);
        texts.map(str::to_owned).collect()
    }

    /// An argument that is a whole number.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<u64> {
        self.fields.get(key)?.as_u64()
    }

    /// An argument of any kind.
    #[must_use]
    pub fn argument(&self, key: &str) -> Option<&Json> {
        self.fields.get(key)
    }
}

impl fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ask)?;
        let mut arguments = self.fields.iter().filter(|(key, _)| *key != "ask");
        arguments.try_for_each(|(key, value)| write!(f, " {key} {value}"))
    }
}
