use proptest::prelude::*;
use prowess_testkit::{Tree, hostile};

use crate::common::{check_states, disk, memory};

/// Small trees with every state in them: few names, so that they meet.
pub(crate) fn trees() -> impl Strategy<Value = Vec<(String, String)>> {
    let root =
        prop::sample::select(vec!["project/.agents/skills", "project/.claude/skills", "home/.agents/skills"]);
    let directory = prop::sample::select(vec!["a", "b", "a/b", "c/a", "c/A", "build/a", "é", "e\u{301}", ""]);
    let file = prop::sample::select(vec!["SKILL.md", "SKILL.md", "SKILL.md", "skill.md", "x.txt"]);
    let text = prop::sample::select(vec![
        "---\nname: a\ndescription: One.\n---\nBody.\n",
        "---\nname: a\ndescription: Two.\n---\nBody.\n",
        "---\nname: b\ndescription: B: repaired\n---\n",
        "---\nname: é\ndescription: E.\ndisable-model-invocation: true\n---\n",
        "---\ndescription: Named by its directory.\n---\n",
        "---\nname: c\n---\nNo description.\n",
        "No frontmatter.\n",
        "",
    ]);
    let files = prop::collection::btree_map((root, directory, file), text, 0..14);
    files.prop_map(|files| {
        let path = |(root, directory, file): (&str, &str, &str)| format!("{root}/{directory}/{file}");
        let mut files: Vec<_> = files
            .into_iter()
            .map(|(place, text)| (path(place).replace("//", "/"), text.to_owned()))
            .collect();
        files.sort();
        files
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_file_is_in_one_state(files in trees()) {
        let tree = Tree::of(files.iter().map(|(path, text)| (path, text.as_str().into())));
        check_states(&disk(&tree));
        let in_roots = files.iter().map(|(path, text)| {
            let path = path.replace("home/.agents/skills", "user").replace("project/.claude/skills", "plugin-a");
            (path.replace("project/.agents/skills", "plugin-b"), text)
        });
        check_states(&memory(in_roots));
    }
}

#[test]
fn a_hostile_root_loads_every_healthy_skill() {
    let hostile = hostile();
    for skipped in hostile.tree.skipped() {
        println!("not tested: {skipped}");
    }
    let library = disk(&hostile.tree);
    check_states(&library);
    for neighbour in &hostile.neighbours {
        let directory = hostile.root.join(neighbour);
        assert!(library.skills().iter().any(|skill| skill.directory() == directory), "{directory:?}");
    }
    assert!(library.scan().directories < 200, "{:?}", library.scan());
}
