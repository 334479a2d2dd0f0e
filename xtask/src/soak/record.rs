//! What is known of each skill: whether it is there, and which versions its files have had.
//!
//! One thread changes skills, and says so before and after. Others ask for a skill's state before they send a question,
//! and once they have the answer, what it can have been.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The files of a skill.
#[derive(Debug, Clone, Copy)]
pub(super) enum File {
    Text,
    Notes,
}

/// All skills, by their slots.
#[derive(Debug)]
pub(super) struct Record {
    slots: Vec<Mutex<Slot>>,
    newest: AtomicU64,
}

#[derive(Debug, Default)]
struct Slot {
    is_present: bool,
    /// How often it began or ended to come or to go: while that is odd, it is on its way.
    moves: u64,
    files: [History; 2],
}

/// The versions of a file in their order. All but the first `written` are on their way.
#[derive(Debug, Default)]
struct History {
    versions: Vec<u64>,
    written: usize,
}

/// The state of a slot when a question was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    is_present: bool,
    moves: u64,
    written: [usize; 2],
}

/// What an answer can be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Possible {
    /// There was no such skill all the time.
    Refusal,
    /// There was one all the time, and its file had these versions.
    Versions(Vec<u64>),
    /// It came or went: a refusal, or any version up to this one.
    Anything(u64),
}

impl Record {
    pub(super) fn new(slots: usize) -> Self {
        Self { slots: (0..slots).map(|_| Mutex::default()).collect(), newest: AtomicU64::new(0) }
    }

    pub(super) fn begin_move(&self, slot: usize) {
        self.lock(slot).moves += 1;
    }

    pub(super) fn end_move(&self, slot: usize, is_present: bool) {
        let mut slot = self.lock(slot);
        slot.moves += 1;
        slot.is_present = is_present;
    }

    /// Gives the version that is about to be written.
    pub(super) fn begin_write(&self, slot: usize, file: File) -> u64 {
        let version = self.newest.fetch_add(1, Ordering::SeqCst) + 1;
        self.lock(slot).files[file as usize].versions.push(version);
        version
    }

    pub(super) fn end_write(&self, slot: usize, file: File) {
        let history = &mut self.lock(slot).files[file as usize];
        history.written = history.versions.len();
    }

    pub(super) fn before(&self, slot: usize) -> Before {
        let slot = self.lock(slot);
        let written = [slot.files[0].written, slot.files[1].written];
        Before { is_present: slot.is_present, moves: slot.moves, written }
    }

    /// What can have been answered since.
    pub(super) fn possible(&self, slot: usize, file: File, before: &Before) -> Possible {
        let slot = self.lock(slot);
        let is_settled = before.moves.is_multiple_of(2) && before.moves == slot.moves;
        match is_settled {
            false => Possible::Anything(self.newest.load(Ordering::SeqCst)),
            true if !before.is_present => Possible::Refusal,
            true => {
                let first = before.written[file as usize].saturating_sub(1);
                Possible::Versions(slot.files[file as usize].versions[first..].to_vec())
            }
        }
    }

    fn lock(&self, slot: usize) -> MutexGuard<'_, Slot> {
        self.slots[slot].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Possible {
    /// Fails unless this version, or none, can have been served.
    pub(super) fn check(&self, served: Option<u64>) -> Result<(), String> {
        let is_possible = match (self, served) {
            (Self::Refusal, served) => served.is_none(),
            (Self::Versions(versions), served) => served.is_some_and(|version| versions.contains(&version)),
            (Self::Anything(newest), served) => served.is_none_or(|version| version <= *newest),
        };
        if is_possible {
            return Ok(());
        }
        let served = served.map_or("nothing".to_owned(), |version| format!("version {version}"));
        Err(match self {
            Self::Refusal => format!("{served} was served of a skill that was not there"),
            Self::Versions(versions) => format!("{served} was served, and what was there was {versions:?}"),
            Self::Anything(newest) => {
                format!("{served} was served, and no later one than {newest} was written")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{File, Possible, Record};

    #[test]
    fn what_was_there_all_the_time_must_be_served() {
        let record = Record::new(1);
        assert_eq!(record.possible(0, File::Text, &record.before(0)), Possible::Refusal);
        record.begin_move(0);
        record.begin_write(0, File::Text);
        record.end_write(0, File::Text);
        let on_its_way = record.before(0);
        record.end_move(0, true);
        assert_eq!(record.possible(0, File::Text, &on_its_way), Possible::Anything(1));
        let there = record.before(0);
        record.begin_write(0, File::Text);
        assert_eq!(record.possible(0, File::Text, &there), Possible::Versions(vec![1, 2]));
        record.end_write(0, File::Text);
        assert_eq!(record.possible(0, File::Text, &record.before(0)), Possible::Versions(vec![2]));
        record.begin_move(0);
        assert_eq!(record.possible(0, File::Text, &there), Possible::Anything(2));
        record.end_move(0, false);
        assert_eq!(record.possible(0, File::Text, &there), Possible::Anything(2));
        assert_eq!(record.possible(0, File::Text, &record.before(0)), Possible::Refusal);
    }

    #[test]
    fn an_answer_must_be_possible() {
        #[track_caller]
        fn check(possible: Possible, served: Option<u64>, expected: bool) {
            assert_eq!(possible.check(served).is_ok(), expected, "{possible:?} {served:?}");
        }
        check(Possible::Refusal, None, true);
        check(Possible::Refusal, Some(1), false);
        check(Possible::Versions(vec![1, 2]), Some(2), true);
        check(Possible::Versions(vec![1, 2]), Some(3), false);
        check(Possible::Versions(vec![1, 2]), None, false);
        check(Possible::Anything(5), None, true);
        check(Possible::Anything(5), Some(5), true);
        check(Possible::Anything(5), Some(6), false);
    }
}
