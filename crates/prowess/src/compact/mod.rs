//! What to put back when a part of a conversation gives way to a summary.
#![expect(
    clippy::indexing_slicing,
    reason = "what is said of the receipts of a ledger is said of each, and receipts are never taken away"
)]

mod render;

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use crate::ledger::{Entry, Known, Ledger, Presence, Receipt, ReceiptKind, Standing, State};
use crate::tokens::{Estimate, Tokenizer};

/// What bodies may cost after a compaction.
///
/// ```
/// use prowess::compact::Budget;
///
/// let budget = Budget::total(25_000);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Budget {
    /// The most that all bodies together may cost, in tokens: those in force that stay count first. 0 leaves stubs only.
    pub total: usize,
    /// Counts the tokens.
    pub tokenizer: Arc<dyn Tokenizer>,
}

impl Budget {
    /// So many tokens for all bodies together, by the estimate of four characters a token.
    #[must_use]
    pub fn total(tokens: usize) -> Self {
        Self { total: tokens, tokenizer: Arc::new(Estimate) }
    }

    /// Counts tokens with this.
    #[must_use]
    pub fn tokenizer(mut self, tokenizer: Arc<dyn Tokenizer>) -> Self {
        self.tokenizer = tokenizer;
        self
    }
}

/// What a compaction is to put into the conversation, in place of what leaves. It changes nothing until it is
/// [committed](Ledger::commit).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "a plan does nothing until it is placed and committed"]
pub struct Compaction {
    pub(crate) blocks: Vec<Block>,
    pub(crate) contents: Vec<Content>,
    leaving: Vec<usize>,
    stale: Vec<Stale>,
    hint: String,
    catalog_leaves: bool,
    kept_tokens: usize,
    /// Receipts that are younger than the plan are not its business.
    at: u64,
}

/// A text for the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// Whether it is a body or the stubs.
    pub kind: BlockKind,
    /// The ids of the skills it is about: one for a body.
    pub skills: Vec<String>,
    /// The text.
    pub text: String,
    /// What the text costs, in tokens.
    pub tokens: usize,
}

/// What a [`Block`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockKind {
    /// A whole body, as it was delivered, labelled as reference.
    Body,
    /// A line for each skill whose body is left out, or one line for all if they are many.
    Stubs,
}

impl BlockKind {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Stubs => "stubs",
        }
    }
}

/// What a block says of one skill, for the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) block: usize,
    pub(crate) skill: String,
    pub(crate) name: String,
    pub(crate) digest: String,
    pub(crate) text: Arc<str>,
    pub(crate) reads: Vec<String>,
    pub(crate) attempt: u64,
}

/// A superseded or turned-off text that stays. A host that can rewrite messages replaces it; the ledger no longer counts
/// on it after the commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    index: usize,
    receipt: Receipt,
    note: String,
}

impl Stale {
    /// Where it stands. Other texts may stand there as well.
    #[must_use]
    pub fn placement(&self) -> &str {
        &self.receipt.placement
    }

    /// The skill's id.
    #[must_use]
    pub fn skill(&self) -> &str {
        &self.receipt.skill
    }

    /// What to put in its place.
    #[must_use]
    pub fn note(&self) -> &str {
        &self.note
    }

    /// A text with the note in its place; none if the text does not hold it whole. Where the model read the file by
    /// itself, the note takes the place of all.
    #[must_use]
    pub fn replaced_in(&self, text: &str) -> Option<String> {
        if !self.receipt.is_whole_in(text) {
            return None;
        }
        Some(match self.receipt.kind {
            ReceiptKind::Observed => self.note.clone(),
            _ => text.replacen(self.receipt.text.trim_end(), self.note.trim_end(), 1),
        })
    }
}

impl Compaction {
    /// The texts to place after the summary, in this order: bodies by the order of importance, then the stubs.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// All blocks as one text, for hosts that place them in one message; empty if there is nothing to place.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.blocks.iter().map(|block| block.text.as_str()).collect();
        texts.join("\n")
    }

    /// The ids of the skills whose bodies come back.
    pub fn reattached(&self) -> impl Iterator<Item = &str> {
        self.skills_in(BlockKind::Body)
    }

    /// The ids of the skills that become stubs.
    pub fn stubs(&self) -> impl Iterator<Item = &str> {
        self.skills_in(BlockKind::Stubs)
    }

    fn skills_in(&self, kind: BlockKind) -> impl Iterator<Item = &str> {
        let blocks = self.blocks.iter().filter(move |block| block.kind == kind);
        blocks.flat_map(|block| block.skills.iter().map(String::as_str))
    }

    /// What to tell the summariser: which texts come back word by word and so need no summary. Empty if there are none.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Whether the [placed](Ledger::place_catalog) catalog is among what leaves: then the host places it again.
    #[must_use]
    pub fn catalog_leaves(&self) -> bool {
        self.catalog_leaves
    }

    /// The texts that stay although they are superseded or turned off.
    #[must_use]
    pub fn stale(&self) -> &[Stale] {
        &self.stale
    }

    /// What the bodies that stay cost, in tokens.
    #[must_use]
    pub fn kept_tokens(&self) -> usize {
        self.kept_tokens
    }

    /// What the bodies that come back cost, in tokens.
    #[must_use]
    pub fn reattached_tokens(&self) -> usize {
        let bodies = self.blocks.iter().filter(|block| block.kind == BlockKind::Body);
        bodies.map(|block| block.tokens).sum()
    }
}

impl Ledger {
    /// Plans a compaction: given the placements that are about to leave, what is to be put back. It reads nothing and
    /// changes nothing.
    ///
    /// 1. A body in force that leaves, or has left before, comes back whole as it was delivered, labelled as reference,
    ///    or becomes a stub. It is never cut, and the arguments it was asked for with are not repeated.
    /// 2. The budget is for bodies. Those in force that stay count first; then the host's [pins](Ledger::pin), then the
    ///    rest by the most recent attempt (activation, short note or resource read). One that does not fit makes room
    ///    for a smaller one behind it.
    /// 3. Stubs stand outside of the budget: a line of at most 40 tokens each, or one line of names if there are more
    ///    than eight. A stub that stays is not repeated.
    /// 4. A [finished](Ledger::finish) skill becomes a stub; one that is off leaves no trace.
    /// 5. Placements that the session does not know are of no importance.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use prowess::{Ledger, Library, LoadOptions, Origin, Roots, compact::Budget, source::Memory};
    ///
    /// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nFill.");
    /// let roots = Roots::new().with("user", "/skills")?;
    /// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
    /// let mut ledger = Ledger::new();
    /// let delivery = library.activate("pdf", Origin::Model).deliver(&mut ledger, "call-1");
    ///
    /// let compaction = ledger.plan_compaction(["call-1"], Budget::total(25_000));
    /// assert!(compaction.blocks()[0].text.contains(delivery.text()));
    /// ledger.commit(compaction, ["summary-1"]);
    /// assert_eq!(ledger.resident("user:pdf").map(|receipt| receipt.placement.as_str()), Some("summary-1"));
    /// # Ok::<(), prowess::Error>(())
    /// ```
    pub fn plan_compaction(
        &self,
        leaving: impl IntoIterator<Item = impl AsRef<str>>,
        budget: Budget,
    ) -> Compaction {
        let mut leaves = vec![false; self.receipts.len()];
        let mut catalog_leaves = false;
        for placement in leaving {
            let placement = placement.as_ref();
            let catalog = self.catalog.as_ref();
            catalog_leaves |= catalog.is_some_and(|catalog| catalog.placement == placement);
            for index in self.places.get(placement).into_iter().flatten() {
                leaves[*index] = true;
            }
        }
        self.plan(&leaves, catalog_leaves, &budget)
    }

    /// Renders every skill in force as a compaction in which everything leaves: for hosts that rebuild their prompt on
    /// every call. The host commits it with the placement of the text in its prompt, as often as it rebuilds.
    pub fn pinned(&self, budget: Budget) -> Compaction {
        self.plan(&vec![true; self.receipts.len()], false, &budget)
    }

    /// The plan, given for each receipt whether it leaves.
    pub(crate) fn plan(&self, leaves: &[bool], catalog_leaves: bool, budget: &Budget) -> Compaction {
        let mut compaction = Compaction { catalog_leaves, at: self.clock, ..Compaction::default() };
        for (index, receipt) in self.receipts.iter().enumerate() {
            match receipt.state {
                State::Evicted => {}
                _ if leaves[index] => compaction.leaving.push(index),
                State::Superseded | State::Off => compaction.stale.push(Stale {
                    index,
                    receipt: receipt.clone(),
                    note: render::stale(&self.skills[&receipt.skill], receipt.state),
                }),
                State::Pending | State::Resident => {}
            }
        }
        let (kept, wanting) = self.divide(leaves);
        let tokens = |receipt: &Receipt| budget.tokenizer.count(&receipt.text);
        compaction.kept_tokens = kept.into_iter().map(tokens).sum();
        let mut left = budget.total.saturating_sub(compaction.kept_tokens);
        let mut stubs = Vec::new();
        for (id, known) in wanting {
            let text = self.latest(known).filter(|_| known.standing == Standing::Active);
            let body = text.and_then(|receipt| compaction.body(id, known, receipt, budget, left));
            match body {
                Some(tokens) => left -= tokens,
                None => stubs.push((id, known)),
            }
        }
        stubs.retain(|(_, known)| !self.has_stub(known, |index| leaves[index]));
        compaction.add_stubs(&stubs, budget);
        compaction.hint = render::hint(&compaction);
        compaction
    }

    /// The bodies in force that stay, and the skills that need a body or a stub, the most important first.
    fn divide(&self, leaves: &[bool]) -> (Vec<&Receipt>, Vec<(&str, &Known)>) {
        let (mut kept, mut wanting) = (Vec::new(), Vec::new());
        for (id, known) in self.skills.iter().filter(|(_, known)| known.is_in_force()) {
            let only_stub = known.current.is_none() && self.has_stub(known, |index| leaves[index]);
            match known.current {
                Some(index) if !leaves[index] => kept.push(&self.receipts[index]),
                _ if only_stub => {}
                _ => wanting.push((id.as_str(), known)),
            }
        }
        wanting.sort_by_key(|(id, known)| (!self.pins.contains(*id), Reverse(known.attempt), *id));
        (kept, wanting)
    }

    /// The text that a skill's block repeats: the current one, or the newest that has left.
    pub(crate) fn latest(&self, known: &Known) -> Option<&Receipt> {
        let bodies = known.receipts.iter().map(|index| &self.receipts[*index]);
        let newest =
            || bodies.filter(|receipt| receipt.kind != ReceiptKind::Stub).max_by_key(|receipt| receipt.at);
        known.current.map(|index| &self.receipts[index]).or_else(newest)
    }

    /// Says where the blocks of a compaction went: one placement for each, in their order. Where one message holds
    /// several, its placement is repeated.
    ///
    /// 1. What left is evicted, and each block counts as pending at its placement until a reconcile sees it.
    /// 2. A block without a placement was not placed. A placement beyond the blocks is one that was written anew without
    ///    a body.
    /// 3. Summaries often bear the id of the one before them: a block that was put back, and leaves, is believed only with
    ///    its text from then on.
    /// 4. Receipts made since the plan are not touched, and a skill that was turned off since stays off.
    pub fn commit(
        &mut self,
        compaction: Compaction,
        placements: impl IntoIterator<Item = impl Into<String>>,
    ) {
        let placements: Vec<String> = placements.into_iter().map(Into::into).collect();
        for receipt in self.evict(compaction.leaving, compaction.at) {
            receipt.doubtful |= matches!(receipt.kind, ReceiptKind::Reattached | ReceiptKind::Stub);
        }
        let stale = compaction.stale.iter().map(|stale| stale.index).collect();
        for receipt in self.evict(stale, compaction.at) {
            receipt.doubtful = true;
        }
        for placement in placements.iter().collect::<HashSet<_>>() {
            self.doubt(placement, |presence| presence == Presence::Gone);
        }
        // Newer than all that the plan knew, and older than what has come since.
        let at = if self.clock == compaction.at { self.tick() } else { compaction.at + 1 };
        for content in &compaction.contents {
            if let Some(placement) = placements.get(content.block) {
                self.reattach(content, compaction.blocks[content.block].kind, placement, at);
            }
        }
        if let Some(catalog) = self.catalog.as_mut().filter(|_| compaction.catalog_leaves) {
            catalog.is_present = false;
        }
        self.settle_all();
    }

    /// Takes receipts of a plan for gone, but for those that were renewed since.
    fn evict(&mut self, indices: Vec<usize>, until: u64) -> Vec<&mut Receipt> {
        let meant: HashSet<usize> = indices.into_iter().collect();
        let receipts = self.receipts.iter_mut().enumerate();
        let mut evicted: Vec<&mut Receipt> = receipts
            .filter(|(index, receipt)| meant.contains(index) && receipt.at <= until)
            .map(|(_, receipt)| receipt)
            .collect();
        for receipt in &mut evicted {
            receipt.presence = Presence::Gone;
        }
        evicted
    }

    fn reattach(&mut self, content: &Content, kind: BlockKind, placement: &str, at: u64) {
        let kind = match kind {
            BlockKind::Body => ReceiptKind::Reattached,
            BlockKind::Stubs => ReceiptKind::Stub,
        };
        if kind == ReceiptKind::Reattached && !self.skills.contains_key(&content.skill) {
            let known = self.know(&content.skill, &content.name);
            known.reads.clone_from(&content.reads);
            known.attempt = content.attempt;
        }
        if self.skills.contains_key(&content.skill) {
            self.record(&Entry {
                skill: &content.skill,
                digest: &content.digest,
                placement,
                text: &content.text,
                proof: None,
                kind,
                at,
            });
        }
    }
}

impl Compaction {
    /// Adds a body if it fits into what is left, and says what it costs.
    fn body(
        &mut self,
        id: &str,
        known: &Known,
        receipt: &Receipt,
        budget: &Budget,
        left: usize,
    ) -> Option<usize> {
        let delivered = &receipt.text;
        let text = render::body(known, delivered);
        let tokens = budget.tokenizer.count(&text);
        if delivered.is_empty() || tokens > left {
            return None;
        }
        self.contents.push(Content {
            block: self.blocks.len(),
            skill: id.to_owned(),
            name: known.name.clone(),
            digest: receipt.digest.clone(),
            text: delivered.clone(),
            reads: known.reads.clone(),
            attempt: known.attempt,
        });
        self.blocks.push(Block { kind: BlockKind::Body, skills: vec![id.to_owned()], text, tokens });
        Some(tokens)
    }

    fn add_stubs(&mut self, stubs: &[(&str, &Known)], budget: &Budget) {
        if stubs.is_empty() {
            return;
        }
        let (text, lines) = render::stubs(stubs);
        for ((id, known), line) in stubs.iter().zip(lines) {
            self.contents.push(Content {
                block: self.blocks.len(),
                skill: (*id).to_owned(),
                name: known.name.clone(),
                digest: String::new(),
                text: line,
                reads: Vec::new(),
                attempt: known.attempt,
            });
        }
        self.blocks.push(Block {
            kind: BlockKind::Stubs,
            skills: stubs.iter().map(|(id, _)| (*id).to_owned()).collect(),
            tokens: budget.tokenizer.count(&text),
            text,
        });
    }

    /// The same blocks for the ledger of a child: nothing leaves there.
    pub(crate) fn for_child(mut self) -> Self {
        self.leaving.clear();
        self.stale.clear();
        self.at = 0;
        self
    }

    /// A compaction that only names skills: what a fork is told that gets no texts.
    pub(crate) fn naming(skills: &[(&str, &Known)]) -> Self {
        let mut compaction = Self::default();
        if let Some(text) = render::names(skills) {
            compaction.blocks.push(Block {
                kind: BlockKind::Stubs,
                skills: skills.iter().map(|(id, _)| (*id).to_owned()).collect(),
                tokens: Estimate.count(&text),
                text,
            });
        }
        compaction
    }
}

#[cfg(test)]
mod tests;
