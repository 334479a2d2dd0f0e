//! For tests: trees of fixtures laid out from a table, hostile ones, and an HTTP server that answers from a script.
//!
//! What a platform or its user may not create is left out and said, in [`Tree::skipped`].

#[cfg(feature = "conformance")]
pub mod conformance;
mod hostile;
pub mod peer;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub use self::hostile::{Hostile, hostile};

/// What to lay at a path of a [`Tree`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Node {
    /// A file of text.
    Text(String),
    /// A file of any bytes.
    Bytes(Vec<u8>),
    /// A directory; those above a node come by themselves.
    Directory,
    /// A link to a target, as it is written in the link.
    Link(PathBuf),
    /// A FIFO that nobody writes to.
    Fifo,
    /// A socket that nobody listens on.
    Socket,
    /// A device that never ends: zeros.
    Device,
    /// A file that may not be read.
    UnreadableFile,
    /// A directory that may not be listed.
    UnreadableDirectory,
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_string())
    }
}

/// Files in a directory that goes when this is dropped.
///
/// ```
/// use prowess_testkit::{Node, Tree};
///
/// let tree = Tree::of([("a/SKILL.md", Node::from("x")), ("b", Node::Directory)]).skill("c/commit");
/// assert!(tree.at("a/SKILL.md").is_file() && tree.at("b").is_dir() && tree.at("c/commit/SKILL.md").is_file());
/// ```
#[derive(Debug)]
pub struct Tree {
    directory: TempDir,
    real: PathBuf,
    locked: Vec<PathBuf>,
    skipped: Vec<String>,
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

impl Tree {
    /// An empty tree.
    ///
    /// # Panics
    /// If there is no room for temporary files.
    #[must_use]
    pub fn new() -> Self {
        let directory = TempDir::new().expect("a directory for temporary files");
        let real = fs::canonicalize(directory.path()).expect("a directory that was just made");
        Self { directory, real, locked: Vec::new(), skipped: Vec::new() }
    }

    /// A tree of a table, laid out in its order.
    #[must_use]
    pub fn of<P: AsRef<Path>>(table: impl IntoIterator<Item = (P, Node)>) -> Self {
        table.into_iter().fold(Self::new(), |tree, (path, node)| tree.with(path, node))
    }

    /// Lays a node at a relative path.
    ///
    /// # Panics
    /// If the path is taken or can't be made.
    #[must_use]
    pub fn with(mut self, path: impl AsRef<Path>, node: Node) -> Self {
        let place = self.at(path.as_ref());
        let parent = place.parent().expect("a path below the tree's directory");
        fs::create_dir_all(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
        let made = match &node {
            Node::Text(text) => fs::write(&place, text),
            Node::Bytes(bytes) => fs::write(&place, bytes),
            Node::Directory => fs::create_dir_all(&place),
            Node::Link(target) => return self.link(&place, target),
            Node::UnreadableFile => fs::write(&place, "").map(|()| self.lock(&place)),
            Node::UnreadableDirectory => fs::create_dir_all(&place).map(|()| self.lock(&place)),
            Node::Fifo | Node::Socket | Node::Device => return self.special(&place, &node),
        };
        made.unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        self
    }

    /// Lays a `SKILL.md` in a directory, well-formed and named like it.
    #[must_use]
    pub fn skill(self, directory: impl AsRef<Path>) -> Self {
        let directory = directory.as_ref();
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let text = format!(
            "---\nname: {name}\ndescription: Does one small thing. Use when asked for it.\n---\nStep one.\n"
        );
        self.with(directory.join("SKILL.md"), Node::Text(text))
    }

    /// The real path of the tree's directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.real
    }

    /// The path of something in the tree.
    #[must_use]
    pub fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.real.join(path)
    }

    /// Deletes a file or a directory with everything in it.
    ///
    /// # Panics
    /// If there is nothing at the path.
    pub fn remove(&self, path: impl AsRef<Path>) {
        let place = self.at(path);
        let directory = fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_dir());
        let removed = if directory { fs::remove_dir_all(&place) } else { fs::remove_file(&place) };
        removed.unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    }

    /// What could not be laid out here, and why. A test that relies on it says so.
    #[must_use]
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    fn skip(&mut self, place: &Path, why: &str) {
        self.skipped.push(format!("{}: {why}", place.display()));
    }

    #[cfg(unix)]
    fn link(self, place: &Path, target: &Path) -> Self {
        std::os::unix::fs::symlink(target, place)
            .unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        self
    }

    #[cfg(windows)]
    fn link(mut self, place: &Path, target: &Path) -> Self {
        use std::os::windows::fs::{symlink_dir, symlink_file};
        let is_directory = place.parent().is_some_and(|parent| parent.join(target).is_dir());
        let made = if is_directory { symlink_dir(target, place) } else { symlink_file(target, place) };
        if let Err(error) = made {
            self.skip(place, &error.to_string());
        }
        self
    }

    #[cfg(target_os = "linux")]
    fn special(mut self, place: &Path, node: &Node) -> Self {
        use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
        const ZEROS: (u32, u32) = (1, 5);
        let (kind, device) = match node {
            Node::Fifo => (FileType::Fifo, 0),
            Node::Socket => (FileType::Socket, 0),
            _ => (FileType::CharacterDevice, makedev(ZEROS.0, ZEROS.1)),
        };
        if let Err(error) = mknodat(CWD, place, kind, Mode::RUSR | Mode::WUSR, device) {
            self.skip(place, &error.to_string());
        }
        self
    }

    #[cfg(not(target_os = "linux"))]
    fn special(mut self, place: &Path, _: &Node) -> Self {
        self.skip(place, "not made on this system");
        self
    }

    /// Takes every permission away from a place, and removes it again where that has no effect.
    fn lock(&mut self, place: &Path) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(place, fs::Permissions::from_mode(0o000))
                .expect("a place that was just made");
        }
        let readable = if place.is_dir() { fs::read_dir(place).is_ok() } else { fs::read(place).is_ok() };
        if readable {
            let removed = if place.is_dir() { fs::remove_dir(place) } else { fs::remove_file(place) };
            removed.expect("a place that was just made");
            self.skip(place, "permissions don't keep this user out");
        } else {
            self.locked.push(place.to_path_buf());
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        #[cfg(unix)]
        for place in &self.locked {
            use std::os::unix::fs::PermissionsExt;
            // What stays behind is only a temporary file.
            let _ = fs::set_permissions(place, fs::Permissions::from_mode(0o700));
        }
        let _ = fs::remove_dir_all(self.directory.path());
    }
}
