use std::collections::BTreeMap;
use std::fs::{self, File};

use prowess::activate::digest;
use prowess_testkit::{Node, Tree};
use serde_json::{Value, json};

use crate::client::{CURRENT, Client, LEGACY};
use crate::{skill, tree};

fn uri(at: &str) -> Value {
    json!({ "uri": at })
}

#[test]
fn the_extension_is_declared() {
    let tree = tree();
    let mut client = Client::spawn(tree.path(), &[]);
    let capabilities = client.initialize()["capabilities"].take();
    assert_eq!(capabilities["extensions"]["io.modelcontextprotocol/skills"]["directoryRead"], true);
    assert!(capabilities["resources"].is_object());
    let mut client = Client::start(&tree, CURRENT, &[]);
    let discovered = client.result("server/discover", json!({}));
    assert_eq!(discovered["capabilities"], capabilities);
    assert!(discovered["instructions"].as_str().is_some_and(|text| text.contains("<name>forms</name>")));
}

#[test]
fn skills_are_listed_with_their_files() {
    for revision in [LEGACY, CURRENT] {
        let tree = tree();
        let mut client = Client::start(&tree, revision, &["--disable", "off"]);
        let list = client.result("skills/list", json!({}));
        let uris: Vec<&Value> =
            list["skills"].as_array().into_iter().flatten().map(|skill| &skill["uri"]).collect();
        assert_eq!(uris, ["skill://forms/SKILL.md", "skill://lint/SKILL.md"]);
        let forms = &list["skills"][0];
        let frontmatter = json!({"name": "forms", "description": "Does forms.", "argument-hint": "[file]", "metadata": {"v": 1}});
        assert_eq!(forms["frontmatter"], frontmatter);
        let files: BTreeMap<&str, &str> = BTreeMap::from([
            ("skill://forms/SKILL.md", "SKILL.md"),
            ("skill://forms/assets/a.bin", "assets/a.bin"),
            ("skill://forms/references/fields.md", "references/fields.md"),
        ]);
        let listed = forms["resources"].as_array().expect("the files are listed");
        assert_eq!(listed.len(), files.len());
        for file in listed {
            let path = files[file["uri"].as_str().expect("a file has a URI")];
            let bytes =
                fs::read(tree.at("project/.agents/skills/forms").join(path)).expect("the file is there");
            assert_eq!(
                (file["digest"].as_str(), file["size"].as_u64()),
                (Some(digest(&bytes).as_str()), Some(bytes.len() as u64))
            );
        }
        assert_eq!(list["_meta"]["prowess/left-out"][0]["id"], "project:Upper Case");
        let hints = [&list["ttlMs"], &list["cacheScope"], &list["resultType"]];
        match revision {
            LEGACY => assert!(hints.iter().all(|hint| hint.is_null()), "{list}"),
            _ => assert_eq!(hints, [&json!(0), &json!("private"), &json!("complete")]),
        }
    }
}

#[test]
fn a_list_says_how_many_skills_it_leaves_out() {
    let bad = (0..120).map(|number| {
        let name = format!("Not Expressed {number}");
        (format!("project/.agents/skills/{name}/SKILL.md"), skill(&name, ""))
    });
    let tree = Tree::of(bad).with("project/.git", Node::Directory).with("home", Node::Directory);
    let mut client = Client::start(&tree, LEGACY, &[]);
    let meta = client.result("skills/list", json!({}))["_meta"].take();
    assert_eq!(meta["prowess/left-out"].as_array().map(Vec::len), Some(100));
    assert_eq!(meta["prowess/left-out-total"], 120);
}

#[test]
fn skills_are_had_listed_or_not() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    for address in ["forms", "ship", "scope.user/forms"] {
        let at = format!("skill://{address}/SKILL.md");
        let skill = client.result("skills/get", uri(&at))["skill"].take();
        assert_eq!(skill["uri"], at);
        assert!(skill["resources"].is_array());
    }
    for at in [
        "skill://nope/SKILL.md",
        "skill://forms",
        "skill://forms/references/fields.md",
        "skill://broken/SKILL.md",
        "skill://%66orms/SKILL.md",
        "skill://forms/SKILL%2Emd",
        "x",
    ] {
        assert_eq!(client.refusal("skills/get", uri(at)), -32602, "{at}");
    }
    assert_eq!(client.refusal("skills/get", uri("skill://Upper%20Case/SKILL.md")), -32602);
    let lists = ["skills/list", "tools/list", "resources/list", "resources/templates/list"];
    for list in lists {
        assert_eq!(client.refusal(list, json!({"cursor": "nonsense"})), -32602, "{list}");
    }
}

#[test]
fn files_are_read_as_they_are() {
    #[track_caller]
    fn check(client: &mut Client, at: &str, key: &str, value: &str) {
        let contents = client.result("resources/read", uri(at))["contents"][0].take();
        assert_eq!((contents["uri"].as_str(), contents[key].as_str()), (Some(at), Some(value)));
    }
    let tree = tree();
    let client = &mut Client::start(&tree, LEGACY, &[]);
    check(client, "skill://forms/references/fields.md", "text", "Fields\r\n");
    check(client, "skill://forms/references/fields.md", "mimeType", "text/markdown");
    check(client, "skill://forms/assets/a.bin", "blob", "AP8=");
    check(
        client,
        "skill://Upper%20Case/SKILL.md",
        "text",
        "---\nname: Upper Case\ndescription: Does Upper Case.\n---\nBody.\n",
    );
}

#[test]
fn what_lies_elsewhere_is_not_read() {
    let tree = tree()
        .with("project/secret.txt", Node::from("secret"))
        .with("project/.agents/skills/forms/out.txt", Node::Link("../../../secret.txt".into()));
    let mut client = Client::start(&tree, LEGACY, &["--disable", "off"]);
    let secret = format!("skill://forms/{}", tree.at("project/secret.txt").display());
    for at in [
        "skill://../../etc/passwd",
        "skill://forms/../../../secret.txt",
        "skill://forms/%2e%2e/%2e%2e/%2e%2e/secret.txt",
        "skill://forms/..%2f..%2f..%2fsecret.txt",
        "skill://forms/..%5c..%5csecret.txt",
        "skill://forms//etc/passwd",
        "skill://forms/%2fetc%2fpasswd",
        "skill://forms/out.txt",
        "skill://forms/a%00b",
        "skill://forms/a\0b",
        "skill://forms/references/fields",
        "skill://forms/references",
        "skill://forms",
        "skill://broken/SKILL.md",
        "file:///etc/passwd",
        "/etc/passwd",
        "",
        &secret,
    ] {
        let refused = client.ask("resources/read", uri(at));
        assert_eq!(refused["error"]["code"], -32002, "{at}: {refused}");
        assert_eq!(client.refusal("resources/directory/read", uri(&format!("{at}/x"))), -32602, "{at}");
    }
    assert!(!client.call("list_skills", json!({})).1);
}

#[test]
fn directories_are_read_level_by_level() {
    #[track_caller]
    fn check(client: &mut Client, at: &str, expected: &[(&str, &str)]) {
        let children = client.result("resources/directory/read", uri(at))["resources"].take();
        let children = children.as_array().into_iter().flatten();
        let found: Vec<(&str, &str)> = children
            .map(|child| {
                (child["uri"].as_str().unwrap_or_default(), child["mimeType"].as_str().unwrap_or_default())
            })
            .collect();
        assert_eq!(found, expected, "{at}");
    }
    let tree = tree();
    let client = &mut Client::start(&tree, LEGACY, &[]);
    let forms = [
        ("skill://forms/SKILL.md", "text/markdown"),
        ("skill://forms/assets", "inode/directory"),
        ("skill://forms/references", "inode/directory"),
    ];
    check(client, "skill://forms", &forms);
    check(client, "skill://forms/", &forms);
    check(client, "skill://forms/assets", &[("skill://forms/assets/a.bin", "")]);
    for at in ["skill://forms/SKILL.md", "skill://forms/nope", "skill://nope", "skill://", "skill://forms/.."]
    {
        assert_eq!(client.refusal("resources/directory/read", uri(at)), -32602, "{at}");
    }
}

#[test]
fn resources_are_listed_and_completed() {
    #[track_caller]
    fn check(client: &mut Client, argument: &str, value: &str, expected: &[&str]) {
        let params = json!({
            "ref": {"type": "ref/resource", "uri": "skill://{+skill}/{+path}"},
            "argument": {"name": argument, "value": value},
            "context": {"arguments": {"skill": "forms"}},
        });
        assert_eq!(client.result("completion/complete", params)["completion"]["values"], json!(expected));
    }
    let tree = tree();
    let client = &mut Client::start(&tree, LEGACY, &[]);
    let resources = client.result("resources/list", json!({}))["resources"].take();
    assert_eq!(resources[1]["uri"], "skill://forms/SKILL.md");
    let templates = client.result("resources/templates/list", json!({}))["resourceTemplates"].take();
    assert_eq!(templates[0]["uriTemplate"], "skill://{+skill}/{+path}");
    check(client, "skill", "s", &["scope.user/forms", "ship"]);
    check(client, "path", "r", &["references/fields.md"]);
    check(client, "path", "", &["SKILL.md", "assets/a.bin", "references/fields.md"]);
    let unknown =
        json!({"ref": {"type": "ref/prompt", "name": "nope"}, "argument": {"name": "a", "value": ""}});
    assert_eq!(client.refusal("completion/complete", unknown), -32602);
}

#[test]
fn an_edited_file_has_another_digest() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    let digests = |client: &mut Client| {
        client.result("skills/get", uri("skill://forms/SKILL.md"))["skill"]["resources"].take()
    };
    let before = digests(&mut client);
    assert_eq!(digests(&mut client), before);
    tree.remove("project/.agents/skills/forms/references/fields.md");
    let tree = tree.with("project/.agents/skills/forms/references/fields.md", Node::from("Changed."));
    let after = digests(&mut client);
    assert_eq!(after[2]["digest"], digest(b"Changed."));
    assert_eq!(after[0], before[0]);
    tree.remove("project/.agents/skills/forms");
    assert_eq!(
        client.result("skills/get", uri("skill://forms/SKILL.md"))["skill"]["frontmatter"]["license"],
        "MIT"
    );
    assert_eq!(client.refusal("resources/read", uri("skill://forms/references/fields.md")), -32002);
}

#[test]
fn what_has_vanished_since_it_was_listed_is_said_to_be_gone() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    let lint = "skill://lint/SKILL.md";
    let listed = client.result("skills/list", json!({}));
    assert_eq!(listed["skills"][1]["uri"], "skill://lint/SKILL.md");
    tree.remove("project/.agents/skills/lint");
    assert_eq!(client.refusal("resources/read", uri(lint)), -32002);
    assert_eq!(client.refusal("skills/get", uri(lint)), -32602);
    assert_eq!(client.refusal("resources/directory/read", uri("skill://lint")), -32602);
    assert!(client.call("activate_skill", json!({"name": "lint"})).1);
    assert!(client.call("read_skill_resource", json!({"name": "lint", "path": "a.md"})).1);
    tree.remove("project/.agents/skills/ship");
    assert_eq!(client.refusal("prompts/get", json!({"name": "ship"})), -32602);
    tree.remove("project");
    assert!(client.call("list_skills", json!({})).0.contains("\"total\":1"));
}

#[test]
fn what_is_too_large_has_no_manifest_and_is_still_served() {
    let tree = tree();
    let files = (0..512).map(|number| (format!("project/.agents/skills/many/{number}.txt"), Node::from("x")));
    let tree = files.fold(tree, |tree, (path, node)| tree.with(path, node));
    let tree = tree
        .with("project/.agents/skills/many/SKILL.md", skill("many", ""))
        .with("project/.agents/skills/large/SKILL.md", skill("large", ""));
    let large = File::create(tree.at("project/.agents/skills/large/large.bin")).expect("a file can be made");
    large.set_len(1 << 30).expect("a sparse file can be made");
    let mut client = Client::start(&tree, LEGACY, &[]);
    let many = client.result("skills/get", uri("skill://many/SKILL.md"));
    assert_eq!(many["skill"]["resources"], "dynamic");
    let large = client.result("skills/get", uri("skill://large/SKILL.md"));
    assert_eq!(large["skill"]["resources"], "dynamic");
    assert_eq!(client.refusal("resources/read", uri("skill://large/large.bin")), -32602);
    assert_eq!(client.result("resources/read", uri("skill://many/511.txt"))["contents"][0]["text"], "x");
    let path = json!({"name": "large", "path": "large.bin"});
    assert!(client.call("read_skill_resource", path).0.len() < 1_000_000);
    let mut seen = 0;
    let mut cursor = Value::Null;
    loop {
        let page =
            client.result("resources/directory/read", json!({"uri": "skill://many", "cursor": cursor}));
        seen += page["resources"].as_array().map_or(0, Vec::len);
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen, 513);
}
