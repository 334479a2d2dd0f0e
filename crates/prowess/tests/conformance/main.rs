//! The conformance cases, answered by the library: from a disk, and the same from memory where it can hold the tree.

mod library;

use std::sync::Arc;

use prowess::source::{Disk, Memory};
use prowess_testkit::conformance::{Face, Question, check};
use serde_json::Value as Json;

use self::library::LibraryFace;

struct DiskAndMemory {
    disk: LibraryFace,
    memory: Option<LibraryFace>,
}

impl Face for DiskAndMemory {
    fn answer(&mut self, question: &Question<'_>) -> Result<Option<Json>, String> {
        let answer = self.disk.answer(question)?;
        if let Some(memory) = &mut self.memory {
            let other = memory.answer(question)?;
            if answer != other {
                return Err(format!("disk and memory differ: {answer:?} and {other:?}"));
            }
        }
        Ok(answer)
    }
}

#[test]
fn the_library_conforms() {
    check(|place| DiskAndMemory {
        disk: LibraryFace::new(place, Arc::new(Disk)),
        memory: place
            .plain_files()
            .map(|files| LibraryFace::new(place, Arc::new(files.into_iter().collect::<Memory>()))),
    });
}
