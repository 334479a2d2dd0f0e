//! Loads by a process that is stopped and continued all the time: a system call that a signal ends early is no whole one.
#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own, which its environment tells what to do"
)]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use prowess_testkit::Tree;

use crate::{check_states, ends, load, writer};

const DIRECTORY: &str = "PROWESS_LOADS_FROM";
const LOADS: usize = 60;

/// Stops and continues the process with the id `$0` until it ends.
const SIGNALS: &str = "while kill -STOP $0 && kill -CONT $0; do :; done 2>&-";

/// Ends with its owner.
struct Signals(Child);

impl Drop for Signals {
    fn drop(&mut self) {
        // One that has ended can't be ended again.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_that_is_stopped_and_continued_loses_no_skill() {
    ends(|| {
        let tree = Tree::new();
        writer::lay_neighbours(&tree.at("skills"));
        // The more there is to list, the more often a signal comes while it is listed.
        for file in 0..1_500 {
            fs::write(tree.at(format!("skills/{file}.txt")), "").expect("a file");
        }
        let mut loader = Command::new(std::env::current_exe().expect("this program"));
        loader.args(["--exact", "stopped::loader", "--ignored", "--nocapture", "--test-threads=1"]);
        loader.env(DIRECTORY, tree.at("skills")).stdin(Stdio::null()).stderr(Stdio::piped());
        let loader = loader.stdout(Stdio::null()).spawn().expect("a process");
        let signals = Command::new("sh").args(["-c", SIGNALS, &loader.id().to_string()]).spawn();
        let _signals = Signals(signals.expect("a shell"));
        let ended = loader.wait_with_output().expect("a process that ends");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    });
}

/// The other process: this program again.
#[test]
#[ignore = "the loader that the other test starts"]
fn loader() {
    let Some(skills) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    for _ in 0..LOADS {
        let library = load(&skills);
        check_states(&library);
        writer::check_neighbours(&library);
    }
}
