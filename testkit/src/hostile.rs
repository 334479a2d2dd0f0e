//! A root full of everything that breaks loaders, with healthy skills in between.

use std::path::PathBuf;

use crate::{Node, Tree};

/// How many directories the deepest place lies below the root.
const LEVELS: usize = 200;

/// How many files the crowded directory holds.
const CROWD: usize = 10_000;

/// A hostile tree.
#[derive(Debug)]
pub struct Hostile {
    /// The tree; its working directory is `project`.
    pub tree: Tree,
    /// The root of the skills, real and absolute.
    pub root: PathBuf,
    /// The directories of the healthy skills, relative to the root: a loader finds every one.
    pub neighbours: Vec<PathBuf>,
}

/// Lays out a root with cycles of links, links upwards, to nowhere and into `/proc`, FIFOs, sockets, devices and
/// directories named `SKILL.md`, places that may not be read, a directory 200 levels deep, one of 10,000 files, names of
/// 255 bytes and names that are not UTF-8. Beside each stands a healthy skill.
#[must_use]
pub fn hostile() -> Hostile {
    let mut hostile = Hostile { root: PathBuf::new(), tree: Tree::new(), neighbours: Vec::new() };
    for (group, nodes) in groups() {
        hostile.group(group, nodes);
    }
    hostile.group("crowd", (0..CROWD).map(|file| (format!("full/{file}"), Node::from(""))));
    hostile.group("deep", [("d/".repeat(LEVELS) + "SKILL.md", Node::from("too deep"))]);
    hostile.names();
    hostile.root = hostile.tree.at(SKILLS);
    hostile
}

const SKILLS: &str = "project/.agents/skills";

/// What lies in each group, by the path below it.
fn groups() -> Vec<(&'static str, Vec<(String, Node)>)> {
    let link = |target: &str| Node::Link(target.into());
    let table = [
        (
            "cycle",
            vec![
                ("self", link("self")),
                ("here", link(".")),
                ("up", link("..")),
                ("a", link("b")),
                ("b", link("a")),
            ],
        ),
        (
            "upwards",
            vec![("slash", link("/")), ("project", link("../../..")), ("root", link("../../skills"))],
        ),
        ("broken", vec![("nowhere", link("../nowhere")), ("gone/SKILL.md", link("/no/such/file"))]),
        ("loop", vec![("ring/SKILL.md", link("SKILL.md"))]),
        ("directory", vec![("folder/SKILL.md", Node::Directory), ("folder/SKILL.md/SKILL.md", "x".into())]),
        (
            "fifo",
            vec![
                ("pipe/SKILL.md", Node::Fifo),
                ("pipe-linked/SKILL.md", link("../pipe/SKILL.md")),
                ("bare", Node::Fifo),
            ],
        ),
        ("socket", vec![("plug/SKILL.md", Node::Socket)]),
        ("device", vec![("zeros/SKILL.md", Node::Device), ("zeros-linked/SKILL.md", link("/dev/zero"))]),
        ("locked", vec![("file/SKILL.md", Node::UnreadableFile), ("folder", Node::UnreadableDirectory)]),
        (
            "proc",
            vec![
                ("self", link("/proc/self")),
                ("open", link("/proc/self/fd")),
                ("environment/SKILL.md", link("/proc/self/environ")),
                ("memory/SKILL.md", link("/proc/self/mem")),
                ("log/SKILL.md", link("/proc/kmsg")),
                ("good-proc/environment", link("/proc/self/environ")),
            ],
        ),
        ("binary", vec![("bytes/SKILL.md", Node::Bytes((0..=255).collect()))]),
    ];
    let owned = |(path, node): (&str, Node)| (path.to_string(), node);
    table.map(|(group, nodes)| (group, nodes.into_iter().map(owned).collect())).into()
}

impl Hostile {
    fn group(&mut self, group: &str, nodes: impl IntoIterator<Item = (String, Node)>) {
        let tree = std::mem::take(&mut self.tree);
        let place = |path: &str| format!("{SKILLS}/{group}/{path}");
        self.tree = nodes.into_iter().fold(tree, |tree, (path, node)| tree.with(place(&path), node));
        self.neighbour(PathBuf::from(format!("{group}/good-{group}")));
    }

    fn neighbour(&mut self, directory: PathBuf) {
        let tree = std::mem::take(&mut self.tree);
        self.tree = tree.skill(PathBuf::from(SKILLS).join(&directory));
        self.neighbours.push(directory);
    }

    /// Skills in directories of the longest names, and of names that are no text.
    fn names(&mut self) {
        self.neighbour(PathBuf::from("names").join("n".repeat(255)));
        self.neighbour(PathBuf::from("names/[x] b?"));
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::ffi::OsStringExt;
            let name = std::ffi::OsString::from_vec(b"names/not-\xff\xfe-text".to_vec());
            self.neighbour(PathBuf::from(name));
        }
    }
}
