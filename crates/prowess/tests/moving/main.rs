//! Trees that change while they are searched and read.
//!
//! `cargo test --release -p prowess --test moving -- --ignored` loads a thousand times.

#![cfg(unix)]

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../support/random.rs"]
mod random;
#[cfg(target_os = "linux")]
mod stopped;
mod swapped;
mod writer;

use std::collections::HashSet;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use prowess::source::ByteRange;
use prowess::{Catalog, CatalogOptions, Ledger, Library, LoadOptions, Origin, Roots};
use prowess_testkit::{Tree, hostile};

use random::Random;
use writer::{Mode, Writer};

/// Longer than anything here takes, however busy the machine is.
const FOREVER: Duration = Duration::from_secs(900);

/// Fails a test that hangs, instead of hanging with it.
fn ends(test: impl FnOnce() + Send + 'static) {
    let (sender, ended) = channel();
    let running = thread::spawn(move || {
        test();
        // Nobody waits any more once it is too late.
        let _ = sender.send(());
    });
    // A panic drops the sender at once, and is passed on below.
    if ended.recv_timeout(FOREVER) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
        panic!("it hangs");
    }
    if let Err(panic) = running.join() {
        std::panic::resume_unwind(panic);
    }
}

fn load(root: &Path) -> Library {
    Library::load(&Roots::new().with("user", root).expect("a scope"), &LoadOptions::new())
}

/// What holds of every load: each file in one state, each id once, and every answer to a request is a text.
fn check_states(library: &Library) {
    let in_a_state = library.skills().len()
        + library.shadowed().len()
        + library.duplicates().len()
        + library.invalid().len();
    assert_eq!(in_a_state, library.scan().skill_files);
    let ids: HashSet<&str> = library.skills().iter().map(|skill| skill.id()).collect();
    assert_eq!(ids.len(), library.skills().len());
    let catalog = Catalog::build(library, &CatalogOptions::new().budget(1_000));
    assert!(catalog.tokens() <= 1_000);
}

/// Uses a library whose files may have changed since it was loaded.
fn use_one(library: &Library, random: &mut Random, ledger: &mut Ledger) {
    let skills = library.skills();
    let Some(skill) = skills.get(random.below(skills.len())) else { return };
    let delivery = library.activate(skill.id(), Origin::User).deliver(ledger, "here");
    assert!(!delivery.text().is_empty());
    let read = library.request_resource(skill.id(), "notes.md", ByteRange::FIRST, Origin::User);
    assert!(!read.deliver(ledger, "there").text().is_empty());
    ledger.reconcile(["here"]);
    let reload = library.reload();
    check_states(&reload.library);
    let _ = reload.catalog_delta(&CatalogOptions::new());
    #[cfg(feature = "lint")]
    let _ = prowess::lint::lint(library, &Catalog::build(library, &CatalogOptions::new()));
}

/// Loads over and over while another process writes, at least so often, and until it has changed something.
fn load_while(mode: Mode, loads: usize) {
    ends(move || {
        let tree = Tree::new();
        let writer = Writer::start(tree.path(), mode);
        let (mut random, mut ledger) = (Random(7), Ledger::new());
        let mut seen = HashSet::new();
        let mut turn = 0;
        while turn < loads || seen.len() <= writer::SKILLS + writer::NEIGHBOURS {
            let library = load(&tree.at("skills"));
            check_states(&library);
            writer::check_neighbours(&library);
            if mode == Mode::Whole {
                writer::check_whole(&library);
            }
            seen.extend(library.skills().iter().map(|skill| skill.description().to_owned()));
            if turn % 5 == 0 {
                use_one(&library, &mut random, &mut ledger);
            }
            turn += 1;
        }
        writer.stop();
    });
}

#[test]
fn skills_that_are_replaced_whole_are_what_was_written() {
    load_while(Mode::Whole, 60);
}

#[test]
fn skills_that_are_rewritten_in_place_hurt_nothing() {
    load_while(Mode::InPlace, 60);
}

#[test]
#[ignore = "takes a minute"]
fn a_thousand_loads_of_skills_that_are_replaced_whole() {
    load_while(Mode::Whole, 1_000);
}

#[test]
#[ignore = "takes a minute"]
fn a_thousand_loads_of_skills_that_are_rewritten_in_place() {
    load_while(Mode::InPlace, 1_000);
}

#[test]
fn a_hostile_tree_that_moves_hurts_nothing() {
    ends(|| {
        let hostile = hostile();
        let skills = hostile.root.join("moving");
        let writer = Writer::start(&skills, Mode::InPlace);
        let (mut random, mut ledger) = (Random(11), Ledger::new());
        for _ in 0..20 {
            let library = load(&hostile.root);
            check_states(&library);
            for neighbour in &hostile.neighbours {
                let path = hostile.root.join(neighbour).join("SKILL.md");
                assert!(library.skills().iter().any(|skill| skill.location() == path), "{}", path.display());
            }
            use_one(&library, &mut random, &mut ledger);
        }
        writer.stop();
    });
}

/// The other process: this program again.
#[test]
#[ignore = "the writer that other tests start"]
fn writer() {
    writer::write_if_asked();
}
