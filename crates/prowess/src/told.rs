//! What a model may be told of what a load found. Diagnostics repeat what a file says, and so do names and ids: of a file
//! that is not trusted a model is told that it is there, and nothing of what it says.

use std::collections::HashSet;
use std::path::Path;

use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic};
use crate::explain::{Explanation, Finding, State};
use crate::library::{Invalid, Library, Origin};
use crate::scan::is_skill_file;
use crate::skill::Visibility;
use crate::trust::Rule;

const NOT_TRUSTED: &str = "the host does not trust it";
const HELP: &str = "only the user can look into it and allow it (`prowess trust` on the command line)";

impl Library {
    /// What was found wrong, as far as `origin` may be told. The user may be told all. Of a skill that is not trusted, and
    /// of a file that does not load where such skills lie, a model is told the path and what became of it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use prowess::{Library, LoadOptions, Origin, Policy, Roots, skill::Visibility, source::Memory};
    ///
    /// let memory = Memory::new().with("/app/pdf/SKILL.md", "---\nname: pdf\ndescription: Say: hello\n---\n");
    /// let policy = Policy::new().scope("project", Visibility::Untrusted);
    /// let options = LoadOptions::new().source(Arc::new(memory)).policy(policy);
    /// let library = Library::load(&Roots::new().with("project", "/app")?, &options);
    /// let codes = |origin| library.diagnostics_for(origin).iter().map(|found| found.code.as_str()).collect::<Vec<_>>();
    /// assert_eq!(codes(Origin::User), ["yaml-repaired", "untrusted"]);
    /// assert_eq!(codes(Origin::Model), ["untrusted"]);
    /// # Ok::<(), prowess::Error>(())
    /// ```
    #[must_use]
    pub fn diagnostics_for(&self, origin: Origin) -> Vec<Diagnostic> {
        if origin == Origin::User {
            return self.diagnostics().to_vec();
        }
        let told = self.told();
        let reasons: HashSet<_> =
            self.invalid().iter().map(|invalid| (invalid.location.as_path(), invalid.code)).collect();
        let diagnostics = self.diagnostics().iter().filter_map(|found| {
            let is_file = found.path.file_name().is_some_and(is_skill_file);
            let is_unread = !is_file || found.code == Code::ScanLimit;
            if is_unread || told.contains(found.path.as_path()) {
                return Some(found.clone());
            }
            let is_state = found.code == Code::Untrusted || reasons.contains(&(&found.path, found.code));
            let quiet = || Diagnostic::new(found.code, &found.path, NOT_TRUSTED).severity(found.severity);
            is_state.then(|| quiet().help(HELP))
        });
        diagnostics.collect()
    }

    /// [`why`](Self::why), as far as `origin` may be told, by the rule of [`diagnostics_for`](Self::diagnostics_for).
    #[must_use]
    pub fn why_for(&self, query: &str, catalog: Option<&Catalog>, origin: Origin) -> Explanation {
        let mut explanation = self.why(query, catalog);
        if origin == Origin::User {
            return explanation;
        }
        let told = self.told();
        let is_read = |finding: &Finding| (finding.state as u8) <= State::Invalid as u8;
        for finding in explanation.findings.iter_mut().filter(|finding| is_read(finding)) {
            if !told.contains(finding.location.as_path()) {
                finding.name.clear();
                finding.id = None;
                finding.code = Some(Code::Untrusted.as_str());
                (finding.reason, finding.help) = (NOT_TRUSTED.to_owned(), HELP.to_owned());
            }
        }
        let skills = self.all().filter(|skill| skill.visibility() < Visibility::Untrusted);
        let invalid = self.invalid().iter().filter(|invalid| told.contains(invalid.location.as_path()));
        let names: HashSet<&str> =
            skills.map(|skill| skill.name()).chain(invalid.map(|invalid| invalid.name.as_str())).collect();
        explanation.near.retain(|name| names.contains(name.as_str()));
        explanation
    }

    /// The files of which a model may be told everything.
    fn told(&self) -> HashSet<&Path> {
        let trusted = self.all().filter(|skill| skill.visibility() < Visibility::Untrusted);
        let mut told: HashSet<&Path> = trusted.map(|skill| skill.location()).collect();
        let copies = self.duplicates().iter().filter(|copy| told.contains(copy.of.as_path()));
        let copies: Vec<&Path> = copies.map(|copy| copy.location.as_path()).collect();
        told.extend(copies);
        let invalid = self.invalid().iter().filter(|invalid| self.is_trusted_unseen(invalid));
        told.extend(invalid.map(|invalid| invalid.location.as_path()));
        told
    }

    /// Whether a file that is no skill lies only where every skill is trusted.
    fn is_trusted_unseen(&self, invalid: &Invalid) -> bool {
        let roots = self.roots().iter().map(|loaded| &loaded.root);
        roots.filter(|root| invalid.location.starts_with(&root.path)).all(|root| {
            let scope = root.scope.as_str();
            self.trust().rule_of(scope) == Rule::Allow
                && self.policy().visibility(scope, &invalid.name) < Visibility::Untrusted
        })
    }
}

#[cfg(test)]
mod tests;
