//! The conformance cases, through the npm package.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use prowess_testkit::conformance::{self, Face, Place, Question};
use serde_json::Value;

use crate::step::{Failure, workspace};

/// Asks the installed package all questions of all cases, in one process.
pub(super) fn check(package: &Path) -> Result<(), Failure> {
    let adapter = Adapter::start(package).map_err(|error| Failure::new(format!("no adapter: {error}")))?;
    let (adapter, answers) = (Mutex::new(adapter), AtomicUsize::new(0));
    conformance::check(|place| Asking { adapter: &adapter, place: place.clone(), answers: &answers });
    println!("conformance: {} right answers in {} cases", answers.into_inner(), conformance::cases().len());
    Ok(())
}

struct Asking<'a> {
    adapter: &'a Mutex<Adapter>,
    place: Place,
    answers: &'a AtomicUsize,
}

impl Face for Asking<'_> {
    fn answer(&mut self, question: &Question<'_>) -> Result<Option<Value>, String> {
        let mut adapter = self.adapter.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = adapter.ask(&question.to_json(&self.place)).map_err(|error| error.to_string())?;
        self.answers.fetch_add(1, Ordering::Relaxed);
        Ok(Some(answer))
    }
}

/// The process that has the package.
struct Adapter {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Adapter {
    fn start(package: &Path) -> std::io::Result<Self> {
        let mut process = Command::new("node")
            .arg(workspace().join("lab/conformance/adapters/prowess_node.mjs"))
            .arg(package)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (questions, answers) =
            process.stdin.take().zip(process.stdout.take()).ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok(Self { process, questions, answers: BufReader::new(answers) })
    }

    fn ask(&mut self, question: &Value) -> std::io::Result<Value> {
        writeln!(self.questions, "{question}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
