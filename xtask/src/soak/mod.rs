//! `cargo xtask soak`: the MCP server under many clients, while what it serves changes.

mod client;
mod health;
mod questions;
mod record;
mod server;
mod text;
mod world;

use std::io;
use std::num::{NonZeroU32, ParseIntError};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use prowess_testkit::Tree;

use self::client::Client;
use self::health::Health;
use self::record::Record;
use self::server::Server;
use self::world::World;
use crate::step::{self, Failure};

const CLIENTS: usize = 8;
/// The time between two changes.
const PAUSE: Duration = Duration::from_millis(50);
/// With so many faults it is over.
const TOO_MANY: usize = 10;

/// What the threads have in common.
#[derive(Default)]
struct Run {
    /// Whether clients are to end, and whether changes are.
    is_over: AtomicBool,
    is_still: AtomicBool,
    answers: AtomicU64,
    sessions: AtomicU64,
    changes: AtomicU64,
    faults: Mutex<Vec<String>>,
}

/// Runs clients against a server for so many minutes. Fails if an answer can't have been true, if there is none, or if
/// the server holds more and more memory or descriptors.
pub(crate) fn run(minutes: &str) -> Result<(), Failure> {
    let wrong = |error: ParseIntError| Failure { code: 2, message: format!("`{minutes}` minutes: {error}") };
    let minutes: NonZeroU32 = minutes.parse().map_err(wrong)?;
    let failed = |error: io::Error| Failure::new(format!("the run broke off: {error}"));
    let program = step::release_server()?;
    let (tree, record, run) = (Tree::new(), Record::new(world::SLOTS), Run::default());
    let mut world = World::new(tree.path(), &record).map_err(failed)?;
    let server = Server::start(&program, world.skills()).map_err(failed)?;
    let url = server.url();
    questions::list_tools(&mut Client::new(url)).map_err(Failure::new)?;
    let mut health = Health::new(server.process()).map_err(failed)?;
    let watched = thread::scope(|scope| {
        scope.spawn(|| run.change(&mut world));
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| run.ask(url, &record))).collect();
        let watched = run.watch(&mut health, minutes);
        run.is_over.store(true, Ordering::SeqCst);
        for client in clients {
            if client.join().is_err() {
                run.fault("a client broke off; what it said stands above".to_owned());
            }
        }
        run.is_still.store(true, Ordering::SeqCst);
        watched
    });
    let faults = watched.and_then(|()| health.faults());
    let faults = faults.unwrap_or_else(|error| vec![format!("the server has ended: {error}")]);
    faults.into_iter().chain(server.words()).for_each(|fault| run.fault(fault));
    run.verdict()
}

impl Run {
    /// Changes skills until it is to be still.
    fn change(&self, world: &mut World<'_>) {
        while !self.is_still.load(Ordering::SeqCst) {
            if let Err(error) = world.change() {
                self.fault(format!("no change: {error}"));
            }
            self.changes.fetch_add(1, Ordering::Relaxed);
            thread::sleep(PAUSE);
        }
    }

    /// Is one client after another until it is over.
    fn ask(&self, url: &str, record: &Record) {
        while !self.is_over.load(Ordering::SeqCst) {
            if let Err(fault) = self.ask_some(url, record) {
                self.fault(fault);
            }
            self.sessions.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn ask_some(&self, url: &str, record: &Record) -> Result<(), String> {
        let mut client = if fastrand::bool() { Client::new(url) } else { Client::with_session(url)? };
        for _ in 0..fastrand::u8(1..40) {
            if self.is_over.load(Ordering::SeqCst) {
                return client.close();
            }
            questions::ask(&mut client, record)?;
            self.answers.fetch_add(1, Ordering::Relaxed);
        }
        if fastrand::u8(..10) == 0 {
            client.hear()?;
        }
        client.close()
    }

    /// Looks after the server, and says each minute how it is.
    fn watch(&self, health: &mut Health, minutes: NonZeroU32) -> io::Result<()> {
        for second in 1..=60 * u64::from(minutes.get()) {
            thread::sleep(Duration::from_secs(1));
            let health = health.look()?;
            if second % 60 == 0 {
                println!("minute {}: {}, {health}", second / 60, self.counts());
            }
            if self.faults().len() >= TOO_MANY {
                break;
            }
        }
        Ok(())
    }

    fn verdict(&self) -> Result<(), Failure> {
        if self.answers.load(Ordering::Relaxed) == 0 {
            self.fault("nothing was answered".to_owned());
        }
        let faults = self.faults().join("\n");
        if !faults.is_empty() {
            return Err(Failure::new(format!("{}\n{faults}", self.counts())));
        }
        println!("{}: no fault", self.counts());
        Ok(())
    }

    fn counts(&self) -> String {
        let [answers, sessions, changes] =
            [&self.answers, &self.sessions, &self.changes].map(|count| count.load(Ordering::Relaxed));
        format!("{answers} answers to {sessions} clients, {changes} changes")
    }

    fn fault(&self, fault: String) {
        self.faults().push(fault);
    }

    fn faults(&self) -> MutexGuard<'_, Vec<String>> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
