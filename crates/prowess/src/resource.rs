//! Files inside a skill's directory: confined, capped, read in parts.

use std::borrow::Cow;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::files::Fingerprint;
use crate::library::Library;
use crate::skill::{Skill, display_path};
use crate::source::{ByteRange, Part, part};
use crate::text::{grouped, one_line};
use crate::trust::{MAX_BYTES, Rule};

/// The most bytes that one read brings.
const MAX_READ: u64 = 1024 * 1024;

impl Library {
    /// Reads a part of a file inside a skill's directory: at most 1 MiB at a time, whatever the range asks for.
    ///
    /// A path without an extension stands for the one file with that stem. An absolute path that begins with the skill's
    /// directory, which the delivered text names, is taken relative to it. Under [`Rule::Ask`] each call reads the skill whole,
    /// to compare it with what was allowed; [`file`](Self::file) does so once for a whole file.
    ///
    /// # Errors
    /// `Untrusted` if the host does not trust the skill; `NotConfined` if the path leads out of the directory, through `..`,
    /// as an absolute path elsewhere or through a link, or if the skill itself is reached elsewhere than at the load;
    /// `UnknownResource` with what is there if there is no such file; `Io` if it can't be read.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use prowess::{ErrorKind, Library, LoadOptions, Origin, Roots, source::{ByteRange, Memory}};
    ///
    /// let memory = Memory::new()
    ///     .with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n")
    ///     .with("/skills/pdf/references/fields.md", "Fields");
    /// let roots = Roots::new().with("user", "/skills")?;
    /// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
    /// let pdf = library.find("pdf", Origin::User)?;
    /// assert_eq!(library.resource(pdf, "references/fields", ByteRange::FIRST)?.bytes, b"Fields");
    /// assert_eq!(library.resource(pdf, "/skills/pdf/references/fields.md", ByteRange::FIRST)?.bytes, b"Fields");
    /// let outside = library.resource(pdf, "../../etc/passwd", ByteRange::FIRST).unwrap_err();
    /// assert_eq!(outside.kind(), ErrorKind::NotConfined);
    /// # Ok::<(), prowess::Error>(())
    /// ```
    pub fn resource(&self, skill: &Skill, path: &str, range: ByteRange) -> Result<Part, Error> {
        self.permit(skill)?;
        let capped = ByteRange { length: range.length.min(MAX_READ), ..range };
        if self.rule_of(skill) == Rule::Allow {
            return self.read_part(skill, path, capped);
        }
        // Only of a whole file it can be told whether it is the one that was allowed.
        let whole = self.read_part(skill, path, ByteRange { offset: 0, length: MAX_BYTES });
        let whole = self.checked(skill, whole, |whole| {
            vec![(skill.directory().join(&whole.path), Fingerprint::of(&whole.bytes))]
        })?;
        Ok(part(&whole.path, &whole.bytes, capped))
    }

    /// Reads a part of a file, whether the skill is trusted or not.
    pub(crate) fn read_part(&self, skill: &Skill, path: &str, range: ByteRange) -> Result<Part, Error> {
        self.in_place(skill)?;
        let part = self.source().read_resource(skill.directory(), &inside(skill, path), range)?;
        if skill.location().file_name().is_some_and(|name| *name == *part.path) {
            let message = format!(
                "`{}` is the skill itself, not a file it brings along: activate the skill",
                part.path
            );
            return Err(Error::new(ErrorKind::UnknownResource, message).with_path(skill.location()));
        }
        Ok(part)
    }
}

/// A path relative to the skill's directory, if it begins with that.
pub(crate) fn inside<'a>(skill: &Skill, path: &'a str) -> Cow<'a, str> {
    Path::new(path).strip_prefix(skill.directory()).map_or(path.into(), Path::to_string_lossy)
}

/// A part of a resource as text for a model: cut at whole characters, with a note where more follows.
pub(crate) fn render(skill: &Skill, part: &Part) -> String {
    let start = part.bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80 && part.offset > 0).count();
    let bytes = part.bytes.get(start..).unwrap_or_default();
    let read_to = part.offset + part.bytes.len() as u64;
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && read_to < part.size => {
            bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid())
        }
        Err(_) => return binary_note(skill, part),
    };
    if text.contains('\0') {
        return binary_note(skill, part);
    }
    let from = part.offset + start as u64;
    let to = from + text.len() as u64;
    if part.size == 0 {
        return format!("`{}` is empty\n", one_line(&part.path));
    }
    if from == 0 && to >= part.size {
        return text.to_owned();
    }
    let more = if to < part.size { format!("; go on with offset {to}") } else { String::new() };
    format!("{text}\n(bytes {from} to {to} of {}{more})\n", part.size)
}

fn binary_note(skill: &Skill, part: &Part) -> String {
    let location = display_path(&skill.directory().join(&part.path));
    let size = usize::try_from(part.size).unwrap_or(usize::MAX);
    format!("`{}` is no text: {} bytes at {}\n", one_line(&part.path), grouped(size), one_line(&location))
}
