//! A plain reference for the ledger: it looks at the conversation itself.

use std::cmp::Reverse;

use super::skills::{body, id};
use super::talk::{Entry, Group};

/// What a session should know of one skill.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    pub(crate) standing: Option<Standing>,
    pub(crate) was_seen: bool,
    pub(crate) attempt: usize,
    pub(crate) is_pinned: bool,
    pub(crate) has_read: bool,
    copies: Vec<Copy>,
    /// The placements of stubs.
    stubs: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Active,
    Finished,
    Off,
}

/// A body that was placed at some time.
#[derive(Debug, Clone)]
pub(crate) struct Copy {
    pub(crate) placement: String,
    pub(crate) version: usize,
    order: usize,
    is_pending: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) skills: Vec<Expected>,
    clock: usize,
}

impl Model {
    pub(crate) fn new(skills: usize) -> Self {
        Self { skills: vec![Expected::default(); skills], clock: 0 }
    }

    pub(crate) fn tick(&mut self) -> usize {
        self.clock += 1;
        self.clock
    }

    /// The newest copy that stands in the conversation, or may be about to.
    pub(crate) fn current(&self, skill: usize, talk: &[Group]) -> Option<&Copy> {
        let stands = |copy: &&Copy| copy.is_pending || holds_body(talk, skill, copy);
        self.skills[skill].copies.iter().filter(stands).max_by_key(|copy| copy.order)
    }

    pub(crate) fn is_in_force(&self, skill: usize, talk: &[Group]) -> bool {
        let expected = &self.skills[skill];
        let is_on = matches!(expected.standing, Some(Standing::Active | Standing::Finished));
        is_on && (expected.was_seen || self.current(skill, talk).is_some())
    }

    pub(crate) fn activated(&mut self, skill: usize) {
        let attempt = self.tick();
        self.skills[skill].attempt = attempt;
        self.skills[skill].standing = Some(Standing::Active);
    }

    pub(crate) fn read(&mut self, skill: usize) {
        let attempt = self.tick();
        let expected = &mut self.skills[skill];
        expected.attempt = attempt;
        expected.has_read = true;
        expected.standing.get_or_insert(Standing::Active);
    }

    pub(crate) fn placed(&mut self, skill: usize, placement: &str, version: usize, order: usize) {
        self.skills[skill].copies.push(Copy {
            placement: placement.to_owned(),
            version,
            order,
            is_pending: true,
        });
    }

    pub(crate) fn relocated(&mut self, from: &str, to: &str) {
        for expected in &mut self.skills {
            for copy in expected.copies.iter_mut().filter(|copy| copy.placement == from) {
                to.clone_into(&mut copy.placement);
            }
        }
    }

    /// A message was edited; the text as it was may come back with a branch.
    pub(crate) fn edited(&mut self, from: &str, to: &str) {
        for expected in &mut self.skills {
            let copies = expected.copies.iter().filter(|copy| copy.placement == from);
            let mut moved: Vec<Copy> = copies.cloned().collect();
            moved.iter_mut().for_each(|copy| to.clone_into(&mut copy.placement));
            expected.copies.append(&mut moved);
            if expected.stubs.iter().any(|stub| stub == from) {
                expected.stubs.push(to.to_owned());
            }
        }
    }

    pub(crate) fn stubbed(&mut self, skill: usize, placement: &str) {
        self.skills[skill].stubs.push(placement.to_owned());
    }

    /// From now on only the conversation counts.
    pub(crate) fn reconcile(&mut self, talk: &[Group]) {
        for expected in &mut self.skills {
            for copy in &mut expected.copies {
                copy.is_pending = false;
                expected.was_seen |= entries(talk).any(|entry| entry.placement == copy.placement);
            }
        }
    }

    /// Whether a stub of the skill stands in the conversation.
    pub(crate) fn has_stub(&self, skill: usize, talk: &[Group]) -> bool {
        let is_stub = |entry: &Entry| self.skills[skill].stubs.contains(&entry.placement);
        entries(talk).any(|entry| is_stub(entry) && shows_stub(&entry.text, skill))
    }

    /// The skills that want a body or a stub when only `stays` stays of the conversation, the most important first.
    pub(crate) fn wanting(&self, talk: &[Group], stays: &[Group]) -> Vec<usize> {
        let in_force = (0..self.skills.len()).filter(|skill| self.is_in_force(*skill, talk));
        let wants = |skill: &usize| match self.current(*skill, talk) {
            Some(copy) => !holds_body(stays, *skill, copy),
            None => !self.has_stub(*skill, stays),
        };
        let mut wanting: Vec<usize> = in_force.filter(wants).collect();
        wanting.sort_by_key(|skill| {
            let expected = &self.skills[*skill];
            (!expected.is_pinned, Reverse(expected.attempt), id(*skill))
        });
        wanting
    }

    /// The version that a restore compares with the file.
    pub(crate) fn newest(&self, skill: usize, talk: &[Group]) -> Option<usize> {
        let newest = || self.skills[skill].copies.iter().max_by_key(|copy| copy.order);
        self.current(skill, talk).or_else(newest).map(|copy| copy.version)
    }
}

pub(crate) fn entries(talk: &[Group]) -> impl Iterator<Item = &Entry> {
    talk.iter().flatten()
}

fn holds_body(talk: &[Group], skill: usize, copy: &Copy) -> bool {
    let body = body(skill, copy.version);
    entries(talk).any(|entry| entry.placement == copy.placement && entry.text.contains(body))
}

pub(crate) fn shows_stub(text: &str, skill: usize) -> bool {
    let single = format!("- Skill `s{skill}` was used; its text is left out");
    let listed = |line: &str| {
        let names = line.strip_prefix("Skills used earlier whose texts are left out");
        let names = names.and_then(|rest| rest.rsplit(": ").next());
        names.is_some_and(|names| names.split(", ").any(|name| name.trim() == format!("s{skill}")))
    };
    text.contains(&single) || text.lines().any(listed)
}
