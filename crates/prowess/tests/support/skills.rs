//! Skills that can be edited while a library is in use.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, RwLock};

use prowess::source::{ByteRange, Memory, Part, Prefix, Resources, Scan, ScanOptions, Source};
use prowess::{Error, Library, LoadOptions, Roots};

/// Files in memory that change under a library.
#[derive(Debug, Default)]
struct Editable(RwLock<Memory>);

impl Editable {
    fn now(&self) -> Memory {
        self.0.read().map(|memory| memory.clone()).unwrap_or_default()
    }
}

impl Source for Editable {
    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        self.now().real_path(path)
    }

    fn scan(&self, root: &Path, options: &ScanOptions) -> Scan {
        self.now().scan(root, options)
    }

    fn read_prefix(&self, file: &Path, max: usize) -> Result<Prefix, Error> {
        self.now().read_prefix(file, max)
    }

    fn resources(&self, directory: &Path, cap: usize) -> Resources {
        self.now().resources(directory, cap)
    }

    fn read_resource(&self, directory: &Path, resource: &str, range: ByteRange) -> Result<Part, Error> {
        self.now().read_resource(directory, resource, range)
    }
}

/// Skills `s0`, `s1` and so on, each in some version.
#[derive(Debug)]
pub(crate) struct Skills {
    source: Arc<Editable>,
    pub(crate) library: Library,
    pub(crate) versions: Vec<usize>,
}

impl Skills {
    pub(crate) fn new(count: usize) -> Self {
        let source = Arc::new(Editable::default());
        let mut skills = Self {
            library: Library::load(&Roots::new(), &LoadOptions::new()),
            source: source.clone(),
            versions: vec![0; count],
        };
        skills.write();
        let roots = Roots::new().with("user", "/s").expect("a scope");
        skills.library = Library::load(&roots, &LoadOptions::new().source(source));
        skills
    }

    pub(crate) fn edit(&mut self, skill: usize, version: usize) {
        self.versions[skill] = version;
        self.write();
    }

    fn write(&self) {
        let files = self.versions.iter().enumerate().flat_map(|(skill, version)| {
            let head = format!("---\nname: s{skill}\ndescription: Does one thing.\n---\n");
            [
                (format!("/s/s{skill}/SKILL.md"), head + body(skill, *version)),
                (format!("/s/s{skill}/notes.md"), "Notes.\n".to_owned()),
            ]
        });
        if let Ok(mut memory) = self.source.0.write() {
            *memory = files.collect();
        }
    }
}

/// Skills that a session has at the most.
const MOST: usize = 10;
/// Versions of each skill.
pub(crate) const VERSIONS: usize = 4;

static BODIES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let all = (0..MOST).flat_map(|skill| (0..VERSIONS).map(move |version| write_body(skill, version)));
    all.collect()
});

/// The body of a skill in a version; each is of another size.
pub(crate) fn body(skill: usize, version: usize) -> &'static str {
    &BODIES[skill * VERSIONS + version]
}

fn write_body(skill: usize, version: usize) -> String {
    let lines = 1 + (skill * 7 + version * 3) % 12;
    let steps = format!("Step of s{skill} in version {version}.\n").repeat(lines * 4);
    format!("# Body of s{skill}, version {version}\n{steps}End of s{skill}, version {version}.\n")
}

pub(crate) fn id(skill: usize) -> String {
    format!("user:s{skill}")
}
