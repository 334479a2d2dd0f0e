use std::path::PathBuf;

use prowess::skill::Visibility;
use prowess::trust::{STORE_FILE, Trust, TrustStore};
use prowess::{Error, ErrorKind, Library};

use crate::Global;

impl Global {
    /// The file of the skills that were allowed; it need not be there.
    ///
    /// # Errors
    /// If there is no home.
    pub fn trust_file(&self) -> Result<PathBuf, Error> {
        let home = self.home()?;
        match home.as_os_str().is_empty() {
            true => Err(Error::new(
                ErrorKind::Usage,
                "there is no home to keep what is allowed in; give `--home`",
            )),
            false => Ok(home.join(STORE_FILE)),
        }
    }

    /// The skills that were allowed.
    ///
    /// # Errors
    /// If there is no home, or its file is damaged: then nothing is allowed.
    pub fn trust_store(&self) -> Result<TrustStore, Error> {
        TrustStore::read(&self.trust_file()?)
    }

    /// What it takes for a skill to be trusted.
    pub(crate) fn trust(&self) -> Result<Trust, Error> {
        Trust::read(&self.trust, &self.home()?.join(STORE_FILE))
    }
}

/// How many skills no model gets, and what to do about it: a line for those that can be allowed, one for the others.
pub fn untrusted(library: &Library) -> impl Iterator<Item = String> {
    let untrusted = library.all().filter(|skill| skill.visibility() == Visibility::Untrusted);
    let (asked, denied): (Vec<_>, Vec<_>) = untrusted.partition(|skill| library.is_asked(skill));
    let lines = [
        (asked.len(), "`prowess trust` lists them, `prowess trust NAME` allows one"),
        (denied.len(), "the host's rule denies them"),
    ];
    lines.into_iter().filter(|(count, _)| *count > 0).map(|(count, help)| match count {
        1 => format!("1 skill is not trusted and not for a model: {help}"),
        _ => format!("{count} skills are not trusted and not for a model: {help}"),
    })
}
