//! One path instead of roots.

use std::path::Path;

use super::{Library, LoadOptions};
use crate::error::{Error, ErrorKind};
use crate::files::SKILL_FILE;
use crate::scope::Roots;
use crate::source::{is_directory, real_path};

impl Library {
    /// Loads what an absolute path holds, as a root of scope `path`: a `SKILL.md` or a skill's directory, and nothing
    /// below it; or a directory that is searched. It asks the disk what the path is, whatever source the options have.
    ///
    /// # Errors
    /// `Io` if there is nothing, or a link that leads nowhere; `Usage` if it is a file of another name.
    ///
    /// ```
    /// use prowess::{ErrorKind, Library, LoadOptions};
    ///
    /// let error = Library::load_path("/no/such/skill".as_ref(), &LoadOptions::new()).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Io);
    /// ```
    pub fn load_path(path: &Path, options: &LoadOptions) -> Result<Self, Error> {
        let name = path.file_name().unwrap_or_default();
        let is_root = is_directory(path)? && name != SKILL_FILE;
        if !is_root && !name.eq_ignore_ascii_case(SKILL_FILE) {
            let shown = path.display();
            let (kind, message) = match real_path(path) {
                None => (ErrorKind::Io, format!("`{shown}` is a link that leads nowhere")),
                Some(_) => {
                    (ErrorKind::Usage, format!("`{shown}` is a file of another name than {SKILL_FILE}"))
                }
            };
            return Err(Error::new(kind, message).with_path(path));
        }
        let root = if is_root { path } else { path.parent().unwrap_or(path) };
        let mut options = options.clone();
        if !is_root || is_directory(&root.join(SKILL_FILE)).is_ok() {
            options.scan.max_depth = 0;
            options.scan.root_is_skill = true;
        }
        Ok(Self::load(&Roots::new().with("path", root)?, &options))
    }
}
