//! The skills on the disk, and their changes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::record::{File, Record};
use super::text;

/// How many skills there can be, and how many of them there are at the fewest and at the most.
pub(super) const SLOTS: usize = 300;
const FEWEST: usize = 180;
const MOST: usize = 260;
/// The file beside each `SKILL.md`.
pub(super) const NOTES: &str = "references/notes.md";

/// A directory of skills, and one for what is to appear in it all at once.
pub(super) struct World<'a> {
    skills: PathBuf,
    workshop: PathBuf,
    record: &'a Record,
    present: Vec<usize>,
    absent: Vec<usize>,
}

impl<'a> World<'a> {
    /// Lays the first skills.
    pub(super) fn new(place: &Path, record: &'a Record) -> io::Result<Self> {
        let (skills, workshop) = (place.join("skills"), place.join("workshop"));
        fs::create_dir_all(&skills)?;
        fs::create_dir_all(&workshop)?;
        let mut world = Self { skills, workshop, record, present: Vec::new(), absent: (0..SLOTS).collect() };
        for _ in 0..(FEWEST + MOST) / 2 {
            world.add()?;
        }
        Ok(world)
    }

    pub(super) fn skills(&self) -> &Path {
        &self.skills
    }

    /// Changes something: mostly a text, now and then which skills there are.
    pub(super) fn change(&mut self) -> io::Result<()> {
        match fastrand::u8(..100) {
            0..10 if self.present.len() < MOST => self.add(),
            10..20 if self.present.len() > FEWEST => self.remove(),
            20..30 => self.rename(),
            30..50 => self.edit(File::Notes),
            _ => self.edit(File::Text),
        }
    }

    fn edit(&mut self, file: File) -> io::Result<()> {
        let slot = self.present[fastrand::usize(..self.present.len())];
        self.write(slot, &self.skills.join(text::name(slot)), file)
    }

    fn add(&mut self) -> io::Result<()> {
        let slot = self.absent.swap_remove(fastrand::usize(..self.absent.len()));
        let made = self.workshop.join("made");
        fs::create_dir_all(made.join("references"))?;
        self.record.begin_move(slot);
        self.write(slot, &made, File::Text)?;
        self.write(slot, &made, File::Notes)?;
        fs::rename(&made, self.skills.join(text::name(slot)))?;
        self.record.end_move(slot, true);
        self.present.push(slot);
        Ok(())
    }

    fn remove(&mut self) -> io::Result<()> {
        let slot = self.present.swap_remove(fastrand::usize(..self.present.len()));
        self.record.begin_move(slot);
        // As anybody removes it: file by file.
        fs::remove_dir_all(self.skills.join(text::name(slot)))?;
        self.record.end_move(slot, false);
        self.absent.push(slot);
        Ok(())
    }

    /// Moves a skill's directory, then gives it the name of its new place.
    fn rename(&mut self) -> io::Result<()> {
        let from = self.present.swap_remove(fastrand::usize(..self.present.len()));
        let to = self.absent.swap_remove(fastrand::usize(..self.absent.len()));
        self.record.begin_move(from);
        self.record.begin_move(to);
        let moved = self.skills.join(text::name(to));
        fs::rename(self.skills.join(text::name(from)), &moved)?;
        self.write(to, &moved, File::Notes)?;
        self.write(to, &moved, File::Text)?;
        self.record.end_move(from, false);
        self.record.end_move(to, true);
        self.absent.push(from);
        self.present.push(to);
        Ok(())
    }

    /// Writes a new version of a file, in place of the old one all at once, as editors do.
    fn write(&self, slot: usize, skill: &Path, file: File) -> io::Result<()> {
        let version = self.record.begin_write(slot, file);
        let (path, content) = match file {
            File::Text => ("SKILL.md", text::skill(slot, version)),
            File::Notes => (NOTES, text::body(version)),
        };
        let new = self.workshop.join("new");
        fs::write(&new, content)?;
        fs::rename(&new, skill.join(path))?;
        self.record.end_write(slot, file);
        Ok(())
    }
}
