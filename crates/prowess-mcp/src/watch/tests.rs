use prowess::source::ScanOptions;
use prowess::{Library, LoadOptions, Roots};
use prowess_testkit::Tree;

use super::Watch;

#[test]
fn what_is_searched_is_watched_and_no_more() {
    let tree = Tree::new()
        .skill("skills/node_modules/one")
        .skill("skills/mine/two")
        .skill("skills/a/b/three")
        .skill("skills/a/four");
    let scan = ScanOptions::default().skip(["mine"]).max_depth(2);
    let roots = Roots::new().with("user", tree.at("skills")).expect("the scope is a label");
    let library = Library::load(&roots, &LoadOptions::new().scan(scan));
    let names: Vec<&str> = library.skills().iter().map(|skill| skill.name()).collect();
    assert_eq!(names, ["four", "one"]);
    let watched = Watch::default().directories(&library);
    let is_watched = |path: &str| watched.contains(&tree.at(path));
    for path in ["skills", "skills/a", "skills/a/four", "skills/node_modules/one", "skills/a/b"] {
        assert!(is_watched(path), "{path}");
    }
    for path in ["skills/mine", "skills/mine/two", "skills/a/b/three"] {
        assert!(!is_watched(path), "{path}");
    }
}
