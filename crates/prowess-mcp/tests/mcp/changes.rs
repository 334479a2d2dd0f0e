//! What changes on the disk, and what clients hear of it.

use std::fs;

use prowess::activate::digest;
use prowess::trust::{STORE_FILE, TrustStore};
use prowess::{Library, LoadOptions, Origin, Roots};
use prowess_testkit::{Node, Tree};
use serde_json::json;

use crate::client::{CURRENT, Client, LEGACY};
use crate::{skill, tree};

/// A client that is told of changes by now: it has heard of two in a row without asking.
fn told(tree: Tree, client: &mut Client) -> Tree {
    client.call("list_skills", json!({}));
    ["one", "two"].into_iter().fold(tree, |tree, name| {
        client.told.clear();
        let tree = tree.with(format!("project/.agents/skills/{name}/SKILL.md"), skill(name, ""));
        client.wait_for("notifications/tools/list_changed");
        client.wait_for("notifications/resources/list_changed");
        tree
    })
}

#[test]
fn what_changes_is_served_changed_and_told() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    client.call("list_skills", json!({}));
    assert!(client.told.is_empty());
    let tree = tree.with("project/.agents/skills/new/SKILL.md", skill("new", ""));
    assert!(client.call("activate_skill", json!({"name": "new"})).0.contains("\nBody.\n"));
    for list in ["tools", "prompts"] {
        client.wait_for(&format!("notifications/{list}/list_changed"));
    }
    tree.remove("project/.agents/skills/new");
    assert!(client.call("activate_skill", json!({"name": "new"})).1);
}

#[test]
fn a_client_hears_of_changes_without_asking() {
    #[track_caller]
    fn check(client: &mut Client) {
        client.told.clear();
        client.wait_for("notifications/tools/list_changed");
    }
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    client.call("list_skills", json!({}));
    let tree = tree.with("project/.agents/skills/group/new/SKILL.md", skill("new", ""));
    check(&mut client);
    tree.remove("project/.agents/skills/forms/SKILL.md");
    check(&mut client);
    tree.remove("project/.agents/skills");
    check(&mut client);
    let tree = tree.with("project/.agents/skills/late/SKILL.md", skill("late", ""));
    check(&mut client);
    assert!(client.call("activate_skill", json!({"name": "late"})).0.contains("\nBody.\n"));
    drop(tree);
}

#[test]
fn an_edit_is_served_to_whoever_asks_at_once() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    let (file, resource) = (
        tree.at("project/.agents/skills/forms/SKILL.md"),
        tree.at("project/.agents/skills/forms/references/fields.md"),
    );
    for number in 100..300 {
        // The size stays, and so may the time of the last edit.
        let text = format!("---\nname: forms\ndescription: Does {number}.\n---\nBody {number}.\n");
        fs::write(&file, text).expect("the file can be written");
        fs::write(&resource, number.to_string()).expect("the file can be written");
        let list = client.call("list_skills", json!({})).0;
        assert!(list.contains(&format!("Does {number}.")), "{number}: {list}");
        let body = client.call("activate_skill", json!({"name": "forms"})).0;
        assert!(body.contains(&format!("\nBody {number}.\n")), "{number}: {body}");
        let files = client.result("skills/get", json!({"uri": "skill://forms/SKILL.md"}));
        let expected = digest(number.to_string().as_bytes());
        assert_eq!(files["skill"]["resources"][2]["digest"], expected, "{number}");
    }
}

#[test]
fn a_digest_is_that_of_the_bytes_whatever_the_time_of_the_file() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    let path = tree.at("project/.agents/skills/forms/references/fields.md");
    // A time that a later edit may well have too, as far as the server can know.
    let time = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
    for text in ["one", "two"] {
        fs::write(&path, text).expect("the file can be written");
        fs::File::open(&path).and_then(|file| file.set_modified(time)).expect("the time can be set");
        let files = client.result("skills/get", json!({"uri": "skill://forms/SKILL.md"}));
        assert_eq!(files["skill"]["resources"][2]["digest"], digest(text.as_bytes()));
    }
}

#[test]
fn who_says_twice_that_it_is_ready_is_told_once() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    for _ in 0..3 {
        client.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    }
    let tree = told(tree, &mut client);
    client.told.clear();
    let tree = tree.with("project/.agents/skills/three/SKILL.md", skill("three", ""));
    client.wait_for("notifications/resources/list_changed");
    // What was sent before an answer has been read by then, and each connection's news is sent at once.
    client.call("list_skills", json!({}));
    client.call("list_skills", json!({}));
    let times =
        client.told.iter().filter(|told| told["method"] == "notifications/tools/list_changed").count();
    assert_eq!(times, 1, "{:?}", client.told);
    drop(tree);
}

#[test]
fn a_client_hears_of_files_inside_a_skill() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    let tree = told(tree, &mut client);
    let hear = |client: &mut Client, path: &str| {
        client.told.clear();
        let path = tree.at("project/.agents/skills/forms").join(path);
        fs::create_dir_all(path.parent().expect("a file has a parent")).expect("a directory can be made");
        fs::write(path, "Edited.").expect("the file can be written");
        client.wait_for("notifications/resources/list_changed");
        assert!(!client.has_heard("notifications/tools/list_changed"));
    };
    hear(&mut client, "references/fields.md");
    hear(&mut client, "references/new.md");
    hear(&mut client, "scripts/deep/run.sh");
    hear(&mut client, "scripts/deep/run.sh");
}

#[test]
fn a_subscriber_hears_of_its_files() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    let tree = told(tree, &mut client);
    let uri = |path: &str| json!({"uri": format!("skill://forms/{path}")});
    client.result("resources/subscribe", uri("SKILL.md"));
    client.result("resources/subscribe", uri("assets/a.bin"));
    client.result("resources/subscribe", uri("references/fields.md"));
    client.result("resources/unsubscribe", uri("assets/a.bin"));
    for at in ["skill://forms", "skill://nope/SKILL.md", "skill://forms/../x", "file:///etc/passwd"] {
        assert_eq!(client.refusal("resources/subscribe", json!({"uri": at})), -32002, "{at}");
    }
    client.told.clear();
    let edit = |path: &str| {
        let path = tree.at("project/.agents/skills/forms").join(path);
        fs::write(path, "Edited twice as long.").expect("the file can be written");
    };
    edit("assets/a.bin");
    edit("references/fields.md");
    client.wait_until(|told| told["params"] == uri("references/fields.md"));
    tree.remove("project/.agents/skills/forms");
    client.wait_until(|told| told["params"] == uri("SKILL.md"));
    assert!(client.told.iter().all(|told| told["params"] != uri("assets/a.bin")));
}

#[test]
fn subscriptions_have_a_limit() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    for number in 0..1000 {
        client.result("resources/subscribe", json!({"uri": format!("skill://forms/{number}")}));
    }
    assert_eq!(client.refusal("resources/subscribe", json!({"uri": "skill://forms/1000"})), -32602);
    client.result("resources/subscribe", json!({"uri": "skill://forms/0"}));
    client.result("resources/unsubscribe", json!({"uri": "skill://forms/0"}));
    let long = format!("skill://forms/{}", "x".repeat(20_000));
    assert_eq!(client.refusal("resources/subscribe", json!({"uri": long})), -32002);
}

#[test]
fn a_listener_hears_of_what_it_has_asked_for() {
    let tree = tree();
    let mut client = Client::start(&tree, CURRENT, &[]);
    let wanted = json!({
        "promptsListChanged": true,
        "resourceSubscriptions": ["skill://lint/SKILL.md", "skill://nope/SKILL.md"],
    });
    let id = client.send("subscriptions/listen", json!({"notifications": wanted}));
    let accepted = client.wait_for("notifications/subscriptions/acknowledged");
    let expected = json!({"promptsListChanged": true, "resourceSubscriptions": ["skill://lint/SKILL.md"]});
    assert_eq!(accepted["params"]["notifications"], expected);
    tree.remove("project/.agents/skills/lint");
    for method in ["prompts/list_changed", "resources/updated"] {
        let told = client.wait_for(&format!("notifications/{method}"));
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{told}");
    }
    client.write(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n",
    );
    client.call("list_skills", json!({}));
    client.told.clear();
    let _tree = tree.with("project/.agents/skills/new/SKILL.md", skill("new", ""));
    assert!(client.call("list_skills", json!({})).0.contains("Does new."));
    assert!(client.told.is_empty(), "{:?}", client.told);
    assert_eq!(client.close(), Some(0));
}

#[cfg(unix)]
#[test]
fn an_answer_in_flight_is_finished_when_the_server_is_to_end() {
    let tree = tree().with("project/.agents/skills/forms/big.txt", Node::Text("x".repeat(12_000_000)));
    let mut client = Client::start(&tree, LEGACY, &[]);
    let id = client.send("resources/read", json!({"uri": "skill://forms/big.txt"}));
    client.wait_for_bytes();
    client.terminate();
    let answer = client.answer(id);
    assert_eq!(answer["result"]["contents"][0]["text"].as_str().map(str::len), Some(12_000_000));
    assert_eq!(client.wait(), Some(0));
}

#[test]
fn a_listener_whose_client_leaves_does_not_keep_the_server() {
    let tree = tree();
    let mut client = Client::start(&tree, CURRENT, &[]);
    client.send("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    client.wait_for("notifications/subscriptions/acknowledged");
    assert_eq!(client.close(), Some(0));
}

#[test]
fn what_the_user_allows_is_served_without_a_restart() {
    let tree = tree();
    let forms = json!({"name": "forms"});
    let at = format!("home/{STORE_FILE}");
    let mut client = Client::start(&tree, LEGACY, &["--trust", "project=ask", "--trust", "user=deny"]);
    assert!(client.call("activate_skill", forms.clone()).1);
    let roots =
        Roots::new().with("project", tree.at("project/.agents/skills")).expect("the scope is a label");
    let library = Library::load(&roots, &LoadOptions::new());
    let skill = library.find("forms", Origin::User).expect("there is one");
    let identity = library.identity(skill).expect("its files can be read");
    let mut store = TrustStore::default();
    store.allow(identity, skill.id());
    let tree = tree.with(&at, Node::from(store.to_json().as_str()));
    client.wait_for("notifications/tools/list_changed");
    assert!(client.call("activate_skill", forms.clone()).0.contains("\nBody.\n"));
    let tree = tree.with(&at, Node::from("{"));
    assert!(client.call("activate_skill", forms).1, "a store that can't be read allows nothing");
    assert!(client.call("why_skill", json!({})).0.contains("trust.json"));
    drop(tree);
}
