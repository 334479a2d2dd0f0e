//! The host's word on who sees which skill, as data.

use glob::Pattern;

use crate::error::{Error, ErrorKind};
use crate::skill::Visibility;
use crate::text::composed;
use crate::trust::Trust;

/// Restricts the visibility of skills, by scope or by name pattern.
///
/// 1. Every rule that matches a skill counts; the strictest wins, whatever their order.
/// 2. A pattern is a glob. With a `:` it is matched against `scope:name`, without one against the name in any scope.
/// 3. Once there is an [`allow`](Self::allow) pattern, skills that match none of them are hidden. An `allow` pattern
///    without a `:` speaks for the scopes `project` and `user` alone: `deploy` does not let `plugin:deploy` in.
/// 4. A skill's own `disable-model-invocation` counts as a rule that makes it user-only.
///
/// ```
/// use prowess::{Policy, skill::Visibility};
///
/// let policy = Policy::new().restrict("x-*", Visibility::Hidden)?.scope("project", Visibility::Untrusted);
/// assert_eq!(policy.visibility("user", "x-doc"), Visibility::Hidden);
/// assert_eq!(policy.visibility("project", "pdf"), Visibility::Untrusted);
/// assert_eq!(policy.visibility("user", "pdf"), Visibility::Listed);
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Policy {
    scopes: Vec<(String, Visibility)>,
    patterns: Vec<(IdPattern, Visibility)>,
    allowed: Vec<IdPattern>,
    pub(super) trust: Trust,
}

impl Policy {
    /// A policy that restricts nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Restricts every skill of a scope.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>, visibility: Visibility) -> Self {
        self.scopes.push((scope.into(), visibility));
        self
    }

    /// Restricts the skills that match a pattern.
    ///
    /// # Errors
    /// `Usage` if the pattern is no glob.
    pub fn restrict(mut self, pattern: &str, visibility: Visibility) -> Result<Self, Error> {
        self.patterns.push((IdPattern::new(pattern)?, visibility));
        Ok(self)
    }

    /// Hides the skills that match any of these patterns.
    ///
    /// # Errors
    /// `Usage` if a pattern is no glob.
    pub fn hide<P: AsRef<str>>(self, patterns: &[P]) -> Result<Self, Error> {
        let hide = |policy: Self, pattern: &P| policy.restrict(pattern.as_ref(), Visibility::Hidden);
        patterns.iter().try_fold(self, hide)
    }

    /// Hides whatever matches neither this pattern nor another one given here.
    ///
    /// # Errors
    /// `Usage` if the pattern is no glob.
    pub fn allow(mut self, pattern: &str) -> Result<Self, Error> {
        self.allowed.push(IdPattern::new(pattern)?);
        Ok(self)
    }

    /// Adds rules from JSON: a list of `{"scope": label, "is": visibility}`, `{"pattern": glob, "is": visibility}` and
    /// `{"allow": glob}`, a visibility being `user-only`, `hidden` or `untrusted`.
    ///
    /// # Errors
    /// `Usage` if it is no such list, or a pattern is no glob.
    ///
    /// ```
    /// use prowess::{Policy, skill::Visibility};
    ///
    /// let policy = Policy::new().rules(&serde_json::json!([{"scope": "project", "is": "untrusted"}]))?;
    /// assert_eq!(policy.visibility("project", "pdf"), Visibility::Untrusted);
    /// # Ok::<(), prowess::Error>(())
    /// ```
    #[cfg(feature = "serde")]
    pub fn rules(self, rules: &serde_json::Value) -> Result<Self, Error> {
        let rules = rules.as_array().ok_or_else(|| no_rule(rules))?;
        rules.iter().try_fold(self, |policy, rule| {
            let text = |key: &str| rule.get(key).and_then(serde_json::Value::as_str);
            match (text("allow"), text("scope"), text("pattern"), text("is")) {
                (Some(pattern), None, None, None) => policy.allow(pattern),
                (None, Some(scope), None, Some(is)) => Ok(policy.scope(scope, is.parse()?)),
                (None, None, Some(pattern), Some(is)) => policy.restrict(pattern, is.parse()?),
                _ => Err(no_rule(rule)),
            }
        })
    }

    /// What it takes for a skill to be trusted; default: nothing.
    #[must_use]
    pub fn trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// What this policy makes of a skill of that scope and name, if it is trusted.
    #[must_use]
    pub fn visibility(&self, scope: &str, name: &str) -> Visibility {
        let scopes =
            self.scopes.iter().filter(|(label, _)| label == scope).map(|(_, visibility)| *visibility);
        let patterns =
            self.patterns.iter().filter(|(p, _)| p.matches(scope, name)).map(|(_, visibility)| *visibility);
        let strictest = scopes.chain(patterns).max().unwrap_or(Visibility::Listed);
        let local = matches!(scope, "project" | "user");
        let allowed = |p: &IdPattern| p.matches(scope, name) && (local || p.qualified);
        if self.allowed.is_empty() || self.allowed.iter().any(allowed) {
            strictest
        } else {
            strictest.max(Visibility::Hidden)
        }
    }
}

#[cfg(feature = "serde")]
fn no_rule(rule: &serde_json::Value) -> Error {
    let shown: String = rule.to_string().chars().take(100).collect();
    let forms = r#"`{"scope", "is"}`, `{"pattern", "is"}` or `{"allow"}`"#;
    Error::new(ErrorKind::Usage, format!("`{shown}` is no rule of the form {forms}, or no list of them"))
}

#[derive(Debug, Clone)]
struct IdPattern {
    glob: Pattern,
    qualified: bool,
}

impl IdPattern {
    fn new(pattern: &str) -> Result<Self, Error> {
        let glob = Pattern::new(&composed(pattern)).map_err(|error| {
            Error::new(ErrorKind::Usage, format!("`{pattern}` is no pattern: {}", error.msg))
        })?;
        Ok(Self { glob, qualified: pattern.contains(':') })
    }

    fn matches(&self, scope: &str, name: &str) -> bool {
        if self.qualified { self.glob.matches(&format!("{scope}:{name}")) } else { self.glob.matches(name) }
    }
}
