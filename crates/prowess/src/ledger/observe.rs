//! What the model of a file-reading host read by itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Entry, Ledger, ReceiptKind};
use crate::activate::{Body, render_body};
use crate::error::Error;
use crate::library::{Library, Origin};
use crate::skill::{Skill, display_path};
use crate::source::ByteRange;

/// Which part of a file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadRange {
    /// All of it.
    Whole,
    /// A range of bytes.
    Bytes(ByteRange),
    /// A range of lines; the first line of a file is 1.
    Lines {
        /// The first line that was read.
        first: u64,
        /// How many lines at the most.
        count: u64,
    },
}

impl From<ByteRange> for ReadRange {
    fn from(range: ByteRange) -> Self {
        Self::Bytes(range)
    }
}

/// What a read by the model meant for the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Observed {
    /// A skill's whole body: it is in the context now.
    Body,
    /// A part of a body: nothing is in the context that could be relied on.
    PartOfBody,
    /// A file of a skill; it counts as read.
    Resource,
    /// No file of a skill that a model may activate.
    Nothing,
}

impl Observed {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::PartOfBody => "part-of-body",
            Self::Resource => "resource",
            Self::Nothing => "nothing",
        }
    }
}

impl Ledger {
    /// Takes note of a file that the model read by the host's own means; `placement` is where its text will stand.
    ///
    /// 1. A `SKILL.md` becomes resident only if the whole body was read; what is put back at a compaction is the wrapped
    ///    body, as an activation delivers it.
    /// 2. A [reconcile](Self::reconcile) with texts looks for the body's lines, whatever stands before each of them: tools
    ///    put line numbers there.
    /// 3. Links are followed, and an identical copy of a skill counts as that skill. A relative path is compared with
    ///    the library's paths as it stands.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use prowess::{Ledger, Library, LoadOptions, Roots, ledger::{Observed, ReadRange}, source::Memory};
    ///
    /// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nFill.");
    /// let roots = Roots::new().with("user", "/skills")?;
    /// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
    /// let mut ledger = Ledger::new();
    /// let range = ReadRange::Lines { first: 1, count: 2 };
    /// assert_eq!(ledger.observe_read(&library, "/skills/pdf/SKILL.md", range, "read-1"), Observed::PartOfBody);
    /// assert_eq!(ledger.observe_read(&library, "/skills/pdf/SKILL.md", ReadRange::Whole, "read-2"), Observed::Body);
    /// assert!(ledger.resident("user:pdf").is_some());
    /// # Ok::<(), prowess::Error>(())
    /// ```
    pub fn observe_read(
        &mut self,
        library: &Library,
        path: impl AsRef<Path>,
        range: impl Into<ReadRange>,
        placement: impl Into<String>,
    ) -> Observed {
        let Some((skill, file)) = owner(library, path.as_ref()) else {
            return Observed::Nothing;
        };
        if !skill.is_listed() {
            return Observed::Nothing;
        }
        let name = library.call_name(&skill);
        match file {
            File::Body => {
                let body = self.observe_body(library, &skill, range.into(), &placement.into());
                body.unwrap_or(Observed::PartOfBody)
            }
            File::Resource(resource) => {
                self.read(skill.id(), name, &display_path(&resource));
                Observed::Resource
            }
        }
    }

    fn observe_body(
        &mut self,
        library: &Library,
        skill: &Arc<Skill>,
        range: ReadRange,
        placement: &str,
    ) -> Result<Observed, Error> {
        let rendered = render_body(library, skill, Origin::Model)?;
        if !range.covers(&rendered.body) {
            return Ok(Observed::PartOfBody);
        }
        let (id, name) = (skill.id(), library.call_name(skill));
        if self.permit_model(id).is_ok() {
            self.activated(skill, name);
        }
        self.know(id, name);
        self.deliver(&Entry {
            skill: id,
            digest: &rendered.activation.digest,
            placement,
            text: &rendered.text,
            proof: Some(&rendered.body.text),
            kind: ReceiptKind::Observed,
            at: self.clock,
        });
        Ok(Observed::Body)
    }
}

impl ReadRange {
    /// Whether the range holds the whole body.
    fn covers(self, body: &Body) -> bool {
        match self {
            Self::Whole => true,
            Self::Bytes(range) => {
                range.offset <= body.start && range.offset.saturating_add(range.length) >= body.size
            }
            Self::Lines { first, count } => {
                let end = body.first_line.saturating_add(body.text.lines().count() as u64);
                first <= body.first_line && first.saturating_add(count) >= end
            }
        }
    }
}

enum File {
    Body,
    Resource(PathBuf),
}

/// The skill whose file a path is: by the path as the library has it, else by where it really leads.
fn owner(library: &Library, path: &Path) -> Option<(Arc<Skill>, File)> {
    let reached = owner_where(library, path, |skill| (skill.location(), skill.directory()));
    if reached.is_some() || !path.is_absolute() {
        return reached;
    }
    let copy = library.duplicates().iter().find(|copy| copy.location == path);
    let path = copy.map_or(path, |copy| &copy.of);
    let real = library.source().real_path(path)?;
    owner_where(library, &real, |skill| {
        let location = skill.real_location();
        (location, location.parent().unwrap_or(location))
    })
}

fn owner_where<'a>(
    library: &'a Library,
    path: &Path,
    place: impl Fn(&'a Skill) -> (&'a Path, &'a Path),
) -> Option<(Arc<Skill>, File)> {
    let holds = |skill: &&'a Arc<Skill>| path.starts_with(place(skill).1);
    let skill = library.all().filter(holds).max_by_key(|skill| place(skill).1.components().count())?;
    let (location, directory) = place(skill);
    let file = if path == location {
        File::Body
    } else {
        let resource = path.strip_prefix(directory).ok()?;
        // A path with `..` in it may lead anywhere: only its real path tells.
        if resource.components().any(|part| part.as_os_str() == "..") {
            return None;
        }
        File::Resource(resource.to_path_buf())
    };
    Some((skill.clone(), file))
}
