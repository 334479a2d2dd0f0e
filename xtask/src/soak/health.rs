//! Whether a process holds more and more while it works.

use std::io;
use std::thread;
use std::time::Duration;

use crate::process;

/// By how many percent its memory may grow, and by how many its descriptors.
const GROWTH: u64 = 10;
const MORE_DESCRIPTORS: usize = 4;
/// How long connections may take to be gone at the end, in seconds.
const SETTLING: usize = 10;

/// What was seen of a process.
pub(super) struct Health {
    process: u32,
    /// In bytes, once a second.
    memory: Vec<u64>,
    /// How many it had open when nobody was connected.
    descriptors: usize,
}

impl Health {
    /// To be called while nobody is connected.
    pub(super) fn new(process: u32) -> io::Result<Self> {
        Ok(Self { process, memory: Vec::new(), descriptors: process::descriptors(process)? })
    }

    /// To be called once a second; gives in words what it saw.
    pub(super) fn look(&mut self) -> io::Result<String> {
        let memory = process::memory(self.process, "VmRSS")?;
        self.memory.push(memory);
        Ok(format!("{}, {} descriptors", megabytes(memory), process::descriptors(self.process)?))
    }

    /// To be called when nobody is connected any more; gives what is wrong.
    pub(super) fn faults(&self) -> io::Result<Vec<String>> {
        let mut faults: Vec<String> = growth(&self.memory).into_iter().collect();
        let allowed = self.descriptors + MORE_DESCRIPTORS;
        for _ in 0..SETTLING {
            if process::descriptors(self.process)? <= allowed {
                return Ok(faults);
            }
            thread::sleep(Duration::from_secs(1));
        }
        let now = process::descriptors(self.process)?;
        faults.push(format!("{now} descriptors are open, {} were before the first client", self.descriptors));
        Ok(faults)
    }
}

/// Says by how much the last fifth of the samples is above the second, if that is too much. The first is for warming up.
fn growth(samples: &[u64]) -> Option<String> {
    let fifth = samples.len() / 5;
    let (before, after) = (median(&samples[fifth..2 * fifth])?, median(&samples[4 * fifth..])?);
    (after * 100 > before * (100 + GROWTH))
        .then(|| format!("memory grew from {} to {}", megabytes(before), megabytes(after)))
}

fn median(samples: &[u64]) -> Option<u64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}

#[cfg(test)]
mod tests {
    use super::growth;

    #[test]
    fn growth_is_what_comes_after_warming_up() {
        #[track_caller]
        fn check(samples: &[u64], grows: bool) {
            assert_eq!(growth(samples).is_some(), grows, "{samples:?}");
        }
        check(&[], false);
        check(&[1, 100, 100, 100, 100], false);
        check(&[1, 100, 200, 300, 110], false);
        check(&[100, 100, 100, 100, 111], true);
        check(&[90, 90, 100, 100, 105, 105, 110, 110, 115, 115], true);
    }
}
