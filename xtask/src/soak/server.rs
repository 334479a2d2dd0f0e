//! The server, over HTTP.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// A server that ends with this.
pub(super) struct Server {
    process: Child,
    url: String,
    words: Receiver<String>,
}

impl Server {
    /// Serves the skills that lie directly in a directory.
    pub(super) fn start(program: &Path, skills: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        command
            .args(["--quiet", "--http", "127.0.0.1:0"])
            .arg("--root")
            .arg(format!("soak={}", skills.display()));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn()?;
        let (stdout, stderr) = (process.stdout.take(), process.stderr.take());
        let (sender, words) = channel();
        thread::spawn(move || {
            let lines = stderr.into_iter().flat_map(|stderr| BufReader::new(stderr).lines());
            lines.map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let mut lines = stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines());
        let url =
            lines.next().unwrap_or_else(|| Err(io::Error::other("the server ended before it listened")))?;
        Ok(Self { process, url, words })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn process(&self) -> u32 {
        self.process.id()
    }

    /// What it has said: a server that is well and quiet is silent.
    pub(super) fn words(&self) -> impl Iterator<Item = String> {
        self.words.try_iter()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
