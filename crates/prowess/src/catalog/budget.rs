//! What to cut when the catalog costs more than it may.
#![expect(
    clippy::indexing_slicing,
    reason = "a place is one of the items', and each item has a cost and a cut"
)]

use std::cmp::Reverse;
use std::sync::Arc;

use super::Shown;
use super::options::CatalogOptions;
use super::render::Renderer;
use crate::library::Library;
use crate::skill::{Skill, display_path};
use crate::text::one_line;

/// A description longer than this, in characters, is cut whatever the budget: the specification allows no longer one.
pub(super) const MAX_DESCRIPTION: usize = 1024;

/// A listed skill with the values that are shown, each on one line.
pub(super) struct Item {
    pub(super) skill: Arc<Skill>,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) location: String,
    length: usize,
}

/// What is cut from an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The description beyond that many characters.
    At(usize),
    NameOnly,
    Omitted,
}

impl Item {
    pub(super) fn shown(&self, cut: Cut) -> Shown {
        match cut {
            Cut::At(length) if length < self.length.min(MAX_DESCRIPTION) => Shown::Shortened,
            Cut::At(_) => Shown::Full,
            Cut::NameOnly => Shown::NameOnly,
            Cut::Omitted => Shown::Omitted,
        }
    }
}

pub(super) fn items(library: &Library) -> Vec<Item> {
    let item = |skill: &Arc<Skill>| {
        let description = one_line(skill.description());
        Item {
            name: one_line(library.call_name(skill)),
            location: one_line(&display_path(skill.location())),
            length: description.chars().count(),
            description,
            skill: skill.clone(),
        }
    };
    library.listed().map(item).collect()
}

/// A cut for each item, so that all of it costs no more than the budget.
pub(super) fn plan(items: &[Item], renderer: &Renderer, options: &CatalogOptions) -> Vec<Cut> {
    let Some(budget) = options.budget else {
        return vec![Cut::At(MAX_DESCRIPTION); items.len()];
    };
    let solver = Solver { items, renderer, options, budget };
    solver.shortened().unwrap_or_else(|| solver.sacrificed())
}

struct Solver<'a> {
    items: &'a [Item],
    renderer: &'a Renderer,
    options: &'a CatalogOptions,
    budget: usize,
}

impl Solver<'_> {
    fn cost(&self, item: &Item, cut: Cut) -> usize {
        self.renderer.entry(item, cut).map_or(0, |text| self.options.tokenizer.count(&text))
    }

    fn frame_cost(&self, omitted: usize) -> usize {
        let (head, tail) = self.renderer.frame(omitted);
        self.options.tokenizer.count(&head) + self.options.tokenizer.count(&tail)
    }

    fn fits_at(&self, length: usize) -> bool {
        let entries: usize = self.items.iter().map(|item| self.cost(item, Cut::At(length))).sum();
        self.frame_cost(0) + entries <= self.budget
    }

    /// Every description within one length, the longest length that fits: the longest ones are cut first.
    fn shortened(&self) -> Option<Vec<Cut>> {
        let at = |length| Some(vec![Cut::At(length); self.items.len()]);
        let (floor, cap) = (self.floor(), self.options.cap.min(MAX_DESCRIPTION));
        if let Some(length) = [MAX_DESCRIPTION, cap].into_iter().find(|length| self.fits_at(*length)) {
            return at(length);
        }
        if !self.fits_at(floor) {
            return None;
        }
        let (mut fits, mut too_long) = (floor, cap);
        while fits + 1 < too_long {
            let middle = fits.midpoint(too_long);
            if self.fits_at(middle) { fits = middle } else { too_long = middle }
        }
        at(fits)
    }

    fn floor(&self) -> usize {
        self.options.floor.min(self.options.cap).min(MAX_DESCRIPTION)
    }

    /// From every description at the floor: names only, then omission, in the order of sacrifice, until it fits.
    fn sacrificed(&self) -> Vec<Cut> {
        let mut shown = vec![Cut::At(self.floor()); self.items.len()];
        let mut costs: Vec<usize> =
            self.items.iter().zip(&shown).map(|(item, cut)| self.cost(item, *cut)).collect();
        let mut total: usize = costs.iter().sum();
        let mut omitted = 0;
        for (at, cut) in self.sacrifices() {
            if self.frame_cost(omitted) + total <= self.budget {
                return shown;
            }
            let cost = self.cost(&self.items[at], cut);
            total = total - costs[at] + cost;
            costs[at] = cost;
            shown[at] = cut;
            omitted += usize::from(cut == Cut::Omitted);
        }
        shown
    }

    /// What to give up, step by step: the lowest rank first, then the longest; what is to be kept goes last.
    fn sacrifices(&self) -> Vec<(usize, Cut)> {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_by_key(|at| {
            (Reverse(self.items[*at].skill.rank()), Reverse(self.items[*at].length), Reverse(*at))
        });
        let (kept, others): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|at| self.is_kept(*at));
        let steps = |group: Vec<usize>| {
            let names = group.clone().into_iter().map(|at| (at, Cut::NameOnly));
            names.chain(group.into_iter().map(|at| (at, Cut::Omitted)))
        };
        steps(others).chain(steps(kept)).collect()
    }

    fn is_kept(&self, at: usize) -> bool {
        let skill = &self.items[at].skill;
        skill.has_priority() || self.options.pins.iter().any(|pin| pin == skill.id() || pin == skill.name())
    }
}
