//! Each diagnostic that a load gives: a tree, its codes, and the wording as hosts and users see it.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use prowess::diagnostic::{Code, Severity};
use prowess::skill::Visibility;
use prowess::source::{ByteRange, Disk, Part, Prefix, Resources, Scan, ScanOptions, Source};
use prowess::{Error, Library, LoadOptions, Policy, Roots};
use prowess_testkit::{Node, Tree};

/// What only a check of all skills or of a body says.
const LINTS: [Code; 6] = [
    Code::CatalogShare,
    Code::Overlap,
    Code::PathOutsideSkill,
    Code::MissingResource,
    Code::HiddenComment,
    Code::LinkOutsideSkill,
];

/// The disk, but no file named `locked` can be read, whoever runs the test.
#[derive(Debug)]
struct Locked;

impl Source for Locked {
    fn real_path(&self, path: &Path) -> Option<std::path::PathBuf> {
        Disk.real_path(path)
    }

    fn scan(&self, root: &Path, options: &ScanOptions) -> Scan {
        Disk.scan(root, options)
    }

    fn read_prefix(&self, file: &Path, max: usize) -> Result<Prefix, Error> {
        if file.parent().is_some_and(|parent| parent.ends_with("locked")) {
            return Err(Error::io(file, std::io::ErrorKind::PermissionDenied.into()));
        }
        Disk.read_prefix(file, max)
    }

    fn resources(&self, directory: &Path, cap: usize) -> Resources {
        Disk.resources(directory, cap)
    }

    fn read_resource(&self, directory: &Path, path: &str, range: ByteRange) -> Result<Part, Error> {
        Disk.read_resource(directory, path, range)
    }
}

struct Case {
    codes: &'static [Code],
    files: Vec<(String, Node)>,
}

/// A skill in the directory `s`.
fn file(codes: &'static [Code], text: impl Into<String>) -> Case {
    tree(codes, [("s/SKILL.md", Node::Text(text.into()))])
}

/// Nodes below the project's root.
fn tree<const N: usize>(codes: &'static [Code], nodes: [(&str, Node); N]) -> Case {
    let files = nodes.map(|(path, node)| (format!("project/.agents/skills/{path}"), node));
    Case { codes, files: files.into() }
}

fn sound(description: &str) -> Node {
    Node::Text(format!("---\nname: s\ndescription: {description}\n---\nBody.\n"))
}

fn in_frontmatter() -> Vec<Case> {
    let long = "word ".repeat(300);
    let many = format!("---\nname: s\ndescription: Does it.\nmetadata:\n{}---\n", "  k: v\n".repeat(12_000));
    vec![
        file(&[Code::MissingDescription], "---\nname: s\n---\nBody.\n"),
        file(&[Code::MissingFrontmatter], "# Only a body\n\nText.\n"),
        file(&[Code::LinkAsText], "../../store/s/SKILL.md"),
        file(&[Code::YamlRepaired], "---\nname: s\ndescription: Use when: asked for it\n---\n"),
        file(&[Code::UnclosedFrontmatter], "---\nname: s\ndescription: Does it.\n\n# Title\n"),
        file(&[Code::FrontmatterPreamble], "<!-- made -->\n---\nname: s\ndescription: Does it.\n---\n"),
        file(&[Code::DuplicateKey], "---\nname: s\ndescription: One.\ndescription: Two.\n---\n"),
        tree(
            &[Code::NotUtf8],
            [("s/SKILL.md", Node::Bytes(b"---\nname: s\ndescription: Caf\xe9.\n---\n".to_vec()))],
        ),
        file(&[Code::DescriptionNotText], "---\nname: s\ndescription: true\n---\n"),
        file(&[Code::DescriptionTooLong], format!("---\nname: s\ndescription: {}\n---\n", long.trim())),
        file(&[Code::NameMissing], "---\ndescription: Does it.\n---\n"),
        file(&[Code::NameMismatch], "---\nname: other\ndescription: Does it.\n---\n"),
        tree(&[Code::NameInvalid], [("S_1/SKILL.md", "---\nname: S_1\ndescription: Does it.\n---\n".into())]),
        file(&[Code::NameUnsafe], "---\nname: ../s\ndescription: Does it.\n---\n"),
        tree(
            &[Code::NameTooLong],
            [(
                &format!("{0}/SKILL.md", "n".repeat(65)),
                Node::Text(format!("---\nname: {}\ndescription: Does it.\n---\n", "n".repeat(65))),
            )],
        ),
        file(&[Code::HiddenUnicode], "---\nname: s\ndescription: Does\u{200b}it \u{e0041}\u{e0042}.\n---\n"),
        file(&[Code::FrontmatterTooLong], many),
        file(&[Code::ValueCutByComment], "---\nname: s\ndescription: Fixes issue #12 and more\n---\n"),
        file(&[Code::UnknownKey], "---\nname: s\ndescription: Does it.\nauthors: me\n---\n"),
    ]
}

fn in_trees() -> Vec<Case> {
    let link = |target: &str| Node::Link(target.into());
    vec![
        tree(&[Code::NotAFile], [("s/SKILL.md/x", "x".into())]),
        tree(&[Code::Unreadable], [("locked/SKILL.md", sound("Does it."))]),
        tree(&[Code::FilenameCase], [("s/skill.md", sound("Does it."))]),
        tree(&[Code::Shadowed], [("s/SKILL.md", sound("One.")), ("g/s/SKILL.md", sound("Two."))]),
        tree(&[Code::Duplicate], [("s/SKILL.md", sound("One.")), ("g/s/SKILL.md", sound("One."))]),
        tree(&[Code::BrokenLink], [("gone", link("../nowhere"))]),
        tree(&[Code::BrokenLink], [("s/SKILL.md", link("nowhere.md"))]),
        tree(&[Code::ScanLimit], [("1/2/3/4/5/6/SKILL.md", sound("Too deep."))]),
        Case {
            codes: &[Code::LookalikeRoot],
            files: vec![("project/.agent/skills/s/SKILL.md".to_owned(), sound("Does it."))],
        },
        Case {
            codes: &[Code::Untrusted],
            files: vec![("home/.agents/skills/s/SKILL.md".to_owned(), sound("Not trusted."))],
        },
    ]
}

fn load(files: Vec<(String, Node)>) -> (Library, Tree) {
    let tree = Tree::of(files);
    let options = LoadOptions::new()
        .source(Arc::new(Locked))
        .policy(Policy::new().scope("user", Visibility::Untrusted));
    let roots = Roots::agents(tree.at("project"), tree.at("home"));
    (Library::load(&roots, &options), tree)
}

#[test]
fn every_code_has_a_tree_and_its_wording() {
    let mut covered = Vec::new();
    let mut wording = String::new();
    for case in in_frontmatter().into_iter().chain(in_trees()) {
        let (library, tree) = load(case.files);
        let found = library.diagnostics();
        let codes: Vec<Code> = found.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, case.codes, "{found:#?}");
        for diagnostic in found {
            covered.push(diagnostic.code);
            let help = diagnostic.help.as_deref().unwrap_or_default();
            assert!(diagnostic.severity == Severity::Info || !help.is_empty(), "{diagnostic}");
            let message = &diagnostic.message;
            assert!(!message.ends_with('.') && !message.starts_with(char::is_uppercase), "{message}");
            let here = |text: &str| text.replace(tree.path().to_str().unwrap(), "");
            writeln!(wording, "{}\n  help: {}", here(&diagnostic.to_string()), here(help)).unwrap();
        }
    }
    for code in Code::ALL {
        assert!(covered.contains(code) != LINTS.contains(code), "{code}");
    }
    insta::assert_snapshot!("wording", wording);
}
