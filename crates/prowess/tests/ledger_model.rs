//! Random sessions against a plain reference that looks at the conversation itself.
//!
//! `cargo test --release -p prowess --test ledger_model -- --ignored` runs a hundred thousand of them.

#![cfg(feature = "serde")]

mod support;

use std::fmt::Write as _;

use prowess::activate::{Delivery, Status};
use prowess::compact::{BlockKind, Budget, Compaction};
use prowess::ledger::{Inherit, Restored, Snapshot, Texts};
use prowess::messages::{Conversation, placement};
use prowess::source::ByteRange;
use prowess::tokens::{Estimate, Tokenizer};
use prowess::tools::Shape;
use prowess::{Ledger, Origin};
use serde_json::Value;

use support::model::{Model, Standing, entries, shows_stub};
use support::random::Random;
use support::skills::{Skills, VERSIONS, body, id};
use support::talk::{Entry, Group, from_json, to_json};
use support::{anthropic_fault, openai_fault};

/// How a host keeps its conversation, and what it tells the ledger.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Host {
    /// Placements alone. Texts are never cut under their placement, and no branch is taken up again.
    Placements,
    /// Placements with texts.
    Texts,
    /// Messages in a provider's shape, compacted by `messages`.
    Json(Shape),
}

struct Session {
    random: Random,
    host: Host,
    skills: Skills,
    ledger: Ledger,
    model: Model,
    talk: Vec<Group>,
    branches: Vec<Vec<Group>>,
    ids: usize,
    log: String,
}

impl Session {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let hosts = [Host::Placements, Host::Texts, Host::Json(Shape::OpenAi), Host::Json(Shape::Anthropic)];
        let host = hosts[random.below(hosts.len())];
        let count = if random.percent(10) { 10 } else { 4 };
        Self {
            host,
            skills: Skills::new(count),
            ledger: Ledger::new(),
            model: Model::new(count),
            talk: vec![vec![Entry::text(placement("Begin."), "Begin.".to_owned())]],
            branches: Vec::new(),
            ids: 0,
            log: format!("seed {seed}, {host:?}\n"),
            random,
        }
    }

    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.reconcile();
            match self.random.below(100) {
                0..30 => self.turn(),
                30..36 => self.user_turn(),
                36..44 => self.edit(),
                44..50 => self.evict(),
                50..56 => self.rewind(),
                56..61 => self.cut_a_text(),
                61..79 => self.compact(),
                79..83 => self.finish(),
                83..87 => self.deactivate(),
                87..90 => self.fork(),
                90..94 => self.save_and_restore(),
                94..97 => self.pin(),
                _ => self.read(),
            }
        }
    }

    #[track_caller]
    fn assert(&self, holds: bool, what: impl std::fmt::Display) {
        assert!(holds, "{what}\n{}", self.log);
    }

    fn note(&mut self, what: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.log, "{what}");
    }

    fn some_skill(&mut self) -> usize {
        self.random.below(self.skills.versions.len())
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("c{}", self.ids)
    }

    fn present(&self) -> Vec<(String, String)> {
        entries(&self.talk).map(|entry| (entry.placement.clone(), entry.text.clone())).collect()
    }

    fn reconcile(&mut self) {
        let present = self.present();
        match self.host {
            Host::Placements => self.ledger.reconcile(present.iter().map(|(placement, _)| placement)),
            Host::Texts => self.ledger.reconcile(&present),
            Host::Json(shape) => {
                let conversation = Conversation::new(to_json(&self.talk, shape).into(), shape);
                self.ledger.reconcile(conversation.expect("a conversation").present());
            }
        }
        self.model.reconcile(&self.talk);
        for skill in 0..self.skills.versions.len() {
            let expected = self.model.current(skill, &self.talk);
            let is_off = self.model.skills[skill].standing == Some(Standing::Off);
            let expected = expected.filter(|_| !is_off).map(|copy| copy.placement.as_str());
            let resident = self.ledger.resident(&id(skill)).map(|receipt| receipt.placement.as_str());
            self.assert(
                resident == expected,
                format_args!("s{skill}: resident {resident:?}, expected {expected:?}"),
            );
        }
    }

    /// One turn of the model: one or two activations, perhaps of one skill, perhaps with an answer that gets lost.
    fn turn(&mut self) {
        let mut group = Group::new();
        let mut skill = self.some_skill();
        for _ in 0..1 + self.random.below(3) {
            let placement = self.new_id();
            let delivery = self
                .skills
                .library
                .activate(&format!("s{skill}"), Origin::Model)
                .deliver(&mut self.ledger, &*placement);
            self.check_delivery(skill, Origin::Model, &delivery, &group, &placement);
            if !self.random.percent(5) {
                group.push(Entry::answer(&placement, delivery.into_text()));
            }
            if self.random.percent(50) {
                skill = self.some_skill();
            }
        }
        if group.is_empty() {
            let placement = self.new_id();
            group.push(Entry::answer(&placement, format!("output of {placement}")));
        }
        self.talk.push(group);
    }

    /// The user activates a skill with arguments in a message.
    fn user_turn(&mut self) {
        let skill = self.some_skill();
        let arguments = format!("ARGUMENT-{}", self.ids);
        let request =
            self.skills.library.activate(&format!("s{skill}"), Origin::User).with_arguments(&arguments);
        let draft = self.new_id();
        let delivery = request.deliver(&mut self.ledger, &*draft);
        self.check_delivery(skill, Origin::User, &delivery, &Group::new(), &draft);
        let text = delivery.into_text();
        let place = match self.host {
            Host::Json(_) => placement(&text),
            _ => self.new_id(),
        };
        self.ledger.relocate(&draft, &*place);
        self.model.relocated(&draft, &place);
        self.talk.push(vec![Entry::text(place, text)]);
    }

    fn check_delivery(
        &mut self,
        skill: usize,
        origin: Origin,
        delivery: &Delivery,
        turn: &Group,
        placement: &str,
    ) {
        let version = self.skills.versions[skill];
        let is_off = self.model.skills[skill].standing == Some(Standing::Off);
        let mut talk = self.talk.clone();
        talk.push(turn.clone());
        let earlier = self.model.current(skill, &talk).map(|copy| copy.version);
        let expected = match earlier {
            _ if is_off && origin == Origin::Model => Status::Denied,
            Some(earlier) if earlier == version => Status::AlreadyResident,
            Some(_) => Status::Changed,
            None => Status::New,
        };
        self.note(format_args!("activate s{skill} by {origin:?} at {placement}: {:?}", delivery.status()));
        self.assert(delivery.status() == expected, format_args!("expected {expected:?}"));
        let holds_body = delivery.text().contains(body(skill, version));
        self.assert(holds_body == delivery.is_protected(), "a body where there should be none, or none");
        if expected == Status::Denied {
            return;
        }
        self.model.activated(skill);
        if delivery.is_protected() {
            let order = self.model.tick();
            self.model.placed(skill, placement, version, order);
        }
    }

    fn edit(&mut self) {
        let (skill, version) = (self.some_skill(), self.random.below(VERSIONS));
        self.note(format_args!("edit s{skill}: version {version}"));
        self.skills.edit(skill, version);
    }

    fn evict(&mut self) {
        self.branch();
        let count = self.random.below(self.talk.len());
        self.note(format_args!("evict {count} groups"));
        self.talk.drain(..count);
    }

    /// Back to an earlier place, or over to another branch.
    fn rewind(&mut self) {
        self.branch();
        if self.host != Host::Placements && self.random.percent(40) {
            let index = self.random.below(self.branches.len());
            self.talk = self.branches[index].clone();
            self.note(format_args!("take up branch {index}"));
            return;
        }
        let length = 1 + self.random.below(self.talk.len());
        self.note(format_args!("rewind to {length} groups"));
        self.talk.truncate(length);
    }

    fn branch(&mut self) {
        self.branches.push(self.talk.clone());
    }

    fn cut_a_text(&mut self) {
        if self.host == Host::Placements {
            return;
        }
        let groups = self.talk.len();
        let group = &mut self.talk[self.random.below(groups)];
        let length = group.len();
        let entry = &mut group[self.random.below(length)];
        let end = entry.text.len() / 2;
        let (head, place) = (entry.text[..end].to_owned(), entry.placement.clone());
        // An answer keeps its id; a text of the user has another placement once it is another text.
        if entry.is_answer {
            entry.text = head + "[...]";
        }
        self.note(format_args!("cut the text at {place}"));
    }

    fn finish(&mut self) {
        let skill = self.some_skill();
        self.note(format_args!("finish s{skill}"));
        let finished = self.ledger.finish(&id(skill));
        self.assert(finished == self.model.is_in_force(skill, &self.talk), "finished what is not in force");
        if finished {
            self.model.skills[skill].standing = Some(Standing::Finished);
        }
    }

    fn deactivate(&mut self) {
        let skill = self.some_skill();
        self.note(format_args!("deactivate s{skill}"));
        let note = self.ledger.deactivate(&id(skill));
        self.assert(note.is_some() == self.model.skills[skill].standing.is_some(), "a note for nothing");
        if note.is_some() {
            self.model.skills[skill].standing = Some(Standing::Off);
        }
    }

    fn pin(&mut self) {
        let skill = self.some_skill();
        let is_pinned = &mut self.model.skills[skill].is_pinned;
        *is_pinned = !*is_pinned;
        if *is_pinned {
            self.ledger.pin(id(skill));
        } else {
            self.ledger.unpin(&id(skill));
        }
        self.note(format_args!("pin or unpin s{skill}"));
    }

    fn read(&mut self) {
        let skill = self.some_skill();
        self.note(format_args!("read a file of s{skill}"));
        let request = self.skills.library.request_resource(
            &format!("s{skill}"),
            "notes.md",
            ByteRange::FIRST,
            Origin::Model,
        );
        let place = self.new_id();
        let delivery = request.deliver(&mut self.ledger, &*place);
        let is_off = self.model.skills[skill].standing == Some(Standing::Off);
        self.assert((delivery.status() == Status::Denied) == is_off, "a file of a skill that is off");
        if !is_off {
            self.model.read(skill);
        }
        self.talk.push(vec![Entry::answer(&place, delivery.into_text())]);
    }

    fn fork(&mut self) {
        let before = self.ledger.clone();
        let inherit = match self.random.below(3) {
            0 => Inherit::Nothing,
            1 => Inherit::Names,
            _ => Inherit::Texts(Budget::total(self.random.below(2_000))),
        };
        self.note(format_args!("fork with {inherit:?}"));
        let (mut child, compaction) = self.ledger.fork(inherit);
        let placed: Vec<String> = compaction.reattached().map(ToOwned::to_owned).collect();
        let text = compaction.text();
        let placements = vec!["first"; compaction.blocks().len()];
        child.commit(compaction, placements);
        child.reconcile([("first", text.as_str())]);
        for skill in 0..self.skills.versions.len() {
            let delivery =
                self.skills.library.activate(&format!("s{skill}"), Origin::Model).deliver(&mut child, "x");
            let is_off = self.model.skills[skill].standing == Some(Standing::Off);
            let version = self.model.newest(skill, &self.talk);
            let expected = match placed.contains(&id(skill)) {
                _ if is_off => Status::Denied,
                true if version == Some(self.skills.versions[skill]) => Status::AlreadyResident,
                true => Status::Changed,
                false => Status::New,
            };
            self.assert(
                delivery.status() == expected,
                format_args!("s{skill} in the child: {:?}", delivery.status()),
            );
            child.deactivate(&id(skill));
        }
        self.assert(self.ledger == before, "a child changed its parent");
    }

    fn save_and_restore(&mut self) {
        self.note(format_args!("save and restore"));
        let json = self.ledger.snapshot(Texts::Included).to_json();
        let snapshot = Snapshot::from_json(&json).expect("a session just written");
        let present = self.present();
        let (ledger, report) = match self.host {
            Host::Placements => Ledger::restore(
                snapshot,
                &self.skills.library,
                present.iter().map(|(placement, _)| placement),
            ),
            _ => Ledger::restore(snapshot, &self.skills.library, &present),
        };
        self.ledger = ledger;
        for skill in 0..self.skills.versions.len() {
            let Some(newest) = self.model.newest(skill, &self.talk) else {
                continue;
            };
            let expected =
                if newest == self.skills.versions[skill] { Restored::Same } else { Restored::Changed };
            let found = report.get(&id(skill)).copied();
            self.assert(found == Some(expected), format_args!("s{skill} restored as {found:?}"));
        }
    }

    fn compact(&mut self) {
        let budget = [0, 200, 500, 1_000, 5_000][self.random.below(5)];
        if self.random.percent(20) {
            self.branch();
        }
        match self.host {
            Host::Json(shape) => self.compact_json(shape, budget),
            _ => self.compact_plain(budget),
        }
    }

    fn compact_plain(&mut self, budget: usize) {
        let cut = self.random.below(self.talk.len() + 1);
        let stays = self.talk[cut..].to_vec();
        let leaving: Vec<String> = entries(&self.talk[..cut]).map(|entry| entry.placement.clone()).collect();
        let plan = |ledger: &Ledger, budget| ledger.plan_compaction(&leaving, Budget::total(budget));
        let before = self.ledger.clone();
        let compaction = plan(&self.ledger, budget);
        self.assert(
            compaction == plan(&self.ledger, budget) && self.ledger == before,
            "planning is not pure",
        );
        let all = plan(&self.ledger, usize::MAX);
        self.note(format_args!("compact {cut} groups, budget {budget}"));
        self.check_plan(&compaction, &all, &stays, budget);
        let order = self.model.tick();
        let versions = self.newest_versions();
        if self.random.percent(15) {
            self.note(format_args!("not committed"));
            return;
        }
        let is_disturbed = self.random.percent(20);
        if is_disturbed {
            self.note(format_args!("meanwhile:"));
            match self.random.below(3) {
                0 => self.turn(),
                1 => self.finish(),
                _ => self.deactivate(),
            }
        }
        self.talk.drain(..cut);
        for stale in compaction.stale() {
            let entries = self.talk.iter_mut().flatten();
            for entry in entries.filter(|entry| entry.placement == stale.placement()) {
                if let Some(text) = stale.replaced_in(&entry.text) {
                    entry.text = text;
                }
            }
        }
        // A message may bear the id of an earlier one, but not while that is there.
        let is_taken = entries(&self.talk).any(|entry| entry.placement == "summary");
        let place = match self.host {
            _ if !is_taken && self.random.percent(50) => "summary".to_owned(),
            _ => self.new_id(),
        };
        let text = format!("Summary.\n{}", compaction.text());
        self.talk.insert(0, vec![Entry::text(place.clone(), text)]);
        self.committed(&compaction, &place, order, &versions);
        // The message is there without a block, too.
        let placements = vec![place; compaction.blocks().len().max(1)];
        self.ledger.commit(compaction, placements);
        self.check_after_commit(is_disturbed);
    }

    fn newest_versions(&self) -> Vec<Option<usize>> {
        (0..self.skills.versions.len()).map(|skill| self.model.newest(skill, &self.talk)).collect()
    }

    fn committed(&mut self, compaction: &Compaction, place: &str, order: usize, versions: &[Option<usize>]) {
        for (skill, version) in versions.iter().enumerate() {
            let skill_id = id(skill);
            if let Some(version) = version.filter(|_| compaction.reattached().any(|id| id == skill_id)) {
                self.model.placed(skill, place, version, order);
            }
            if compaction.stubs().any(|id| id == skill_id) {
                self.model.stubbed(skill, place);
            }
        }
    }

    fn compact_json(&mut self, shape: Shape, budget: usize) {
        let value: Value = to_json(&self.talk, shape).into();
        let conversation = Conversation::new(value, shape).expect("a conversation");
        let keep = self.random.below(1_500);
        let cut = match self.random.below(3) {
            0 => self.random.below(conversation.messages().len() + 1),
            _ => conversation.cut(keep),
        };
        let before = self.ledger.clone();
        let plan = conversation.plan(&self.ledger, cut, Budget::total(budget));
        let again = conversation.plan(&self.ledger, cut, Budget::total(budget));
        self.assert(plan == again && self.ledger == before, "planning is not pure");
        let all = conversation.plan(&self.ledger, cut, Budget::total(usize::MAX));
        let stays = from_json(&conversation.messages()[plan.cut()..]);
        self.note(format_args!("compact messages before {}, budget {budget}", plan.cut()));
        self.check_plan(plan.compaction(), all.compaction(), &stays, budget);
        let compaction = plan.compaction().clone();
        let rewritten =
            conversation.rewrite(plan, if self.random.percent(50) { "What was done." } else { "" });
        let messages = rewritten.value().as_array().cloned().unwrap_or_default();
        let fault = match shape {
            Shape::OpenAi => openai_fault(&messages),
            _ => anthropic_fault(&messages),
        };
        self.assert(fault.is_none(), format_args!("{fault:?} {messages:#?}"));
        if self.random.percent(15) {
            self.note(format_args!("not committed"));
            return;
        }
        let order = self.model.tick();
        let versions = self.newest_versions();
        let place = rewritten.placements().first().cloned().unwrap_or_default();
        self.follow_moves(&stays, &from_json(&messages));
        self.talk = from_json(&messages);
        self.committed(&compaction, &place, order, &versions);
        let value = rewritten.commit(&mut self.ledger);
        self.assert(value.as_array() == Some(&messages), "a commit changed the conversation");
        self.check_after_commit(false);
    }

    /// A text of the user that lost a body to a note has another placement now.
    fn follow_moves(&mut self, before: &[Group], after: &[Group]) {
        let (before, after): (Vec<&Entry>, Vec<&Entry>) =
            (entries(before).collect(), entries(after).collect());
        for (old, new) in before.iter().rev().zip(after.iter().rev()) {
            if old.placement != new.placement {
                self.model.edited(&old.placement, &new.placement);
            }
        }
    }

    fn check_plan(&self, compaction: &Compaction, all: &Compaction, stays: &[Group], budget: usize) {
        let wanting = self.model.wanting(&self.talk, stays);
        let in_force = |skill: &usize| self.model.is_in_force(*skill, &self.talk) && !wanting.contains(skill);
        let kept: usize = (0..self.skills.versions.len())
            .filter(in_force)
            .filter_map(|skill| self.ledger.resident(&id(skill)))
            .map(|receipt| Estimate.count(&receipt.text))
            .sum();
        let mut left = budget.saturating_sub(kept);
        let (mut bodies, mut stubs) = (Vec::new(), Vec::new());
        for skill in wanting {
            let block = all
                .blocks()
                .iter()
                .find(|block| block.kind == BlockKind::Body && block.skills == [id(skill)]);
            match block {
                Some(block) if block.tokens <= left => {
                    left -= block.tokens;
                    bodies.push(id(skill));
                }
                _ if !self.model.has_stub(skill, stays) => stubs.push(id(skill)),
                _ => {}
            }
            let is_finished = self.model.skills[skill].standing == Some(Standing::Finished);
            self.assert(block.is_some() != is_finished, "a finished skill comes back, or a body does not");
            self.check_block(skill, compaction);
        }
        self.assert(compaction.kept_tokens() == kept, "what stays is miscounted");
        self.assert(
            compaction.reattached().eq(bodies.iter()),
            format_args!("bodies {bodies:?}, {compaction:#?}"),
        );
        self.assert(compaction.stubs().eq(stubs.iter()), format_args!("stubs {stubs:?}, {compaction:#?}"));
        self.assert(compaction.reattached_tokens() <= budget.saturating_sub(kept), "over the budget");
        self.assert(!compaction.text().contains("ARGUMENT-"), "an argument is replayed");
        for block in compaction.blocks().iter().filter(|block| block.kind == BlockKind::Stubs) {
            let is_short =
                block.skills.len() > 8 || block.text.lines().all(|line| Estimate.count(line) <= 40);
            self.assert(is_short, "a long stub");
        }
    }

    /// A block is the whole body as it was delivered, with its label and the files that were read.
    fn check_block(&self, skill: usize, compaction: &Compaction) {
        let meant =
            |block: &&prowess::compact::Block| block.kind == BlockKind::Body && block.skills == [id(skill)];
        let Some(block) = compaction.blocks().iter().find(meant) else {
            return;
        };
        let version = self.model.newest(skill, &self.talk).unwrap_or(usize::MAX);
        self.assert(
            block.text.contains(body(skill, version)),
            format_args!("s{skill}: not version {version}: {}", block.text),
        );
        self.assert(block.text.contains("not a request"), "no label");
        let names_file = block.text.contains("had been read; read them again if you need them: notes.md");
        self.assert(names_file == self.model.skills[skill].has_read, "the files that were read");
        self.assert(block.tokens == Estimate.count(&block.text), "a miscounted block");
    }

    /// Every skill in force has one text or a stub; nothing that is off has come back. What was superseded since the plan
    /// may stand until the next one.
    fn check_after_commit(&mut self, is_disturbed: bool) {
        self.note(format_args!("committed"));
        self.reconcile();
        let copies = self.copies();
        for (skill, copies) in copies.into_iter().enumerate() {
            let is_off = self.model.skills[skill].standing == Some(Standing::Off);
            if self.model.is_in_force(skill, &self.talk) {
                let has_stub = entries(&self.talk).any(|entry| shows_stub(&entry.text, skill));
                let has_current = self.model.current(skill, &self.talk).is_some();
                self.assert(has_current || has_stub, format_args!("s{skill} is lost"));
                self.assert(copies <= 1 || is_disturbed, format_args!("s{skill} stands {copies} times"));
            }
            self.assert(!is_off || self.ledger.resident(&id(skill)).is_none(), "what is off is resident");
        }
    }

    /// How many whole texts of each skill, of whatever version, stand in the conversation.
    fn copies(&self) -> Vec<usize> {
        let mut copies = vec![0; self.skills.versions.len()];
        for entry in entries(&self.talk) {
            for (at, _) in entry.text.match_indices("# Body of s") {
                let is_here = |skill: usize| {
                    (0..VERSIONS).any(|version| entry.text[at..].starts_with(body(skill, version)))
                };
                if let Some(skill) = (0..copies.len()).find(|skill| is_here(*skill)) {
                    copies[skill] += 1;
                }
            }
        }
        copies
    }
}

/// Runs sequences of so many steps, from the seed `first` on, on all processors.
fn run(first: u64, count: u64, steps: usize) {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let seeds = (first..first + count).filter(|seed| seed % threads == thread);
                seeds.for_each(|seed| Session::new(seed).run(steps));
            });
        }
    });
}

#[test]
fn two_thousand_sequences() {
    run(0, 2_000, 25);
}

#[test]
#[ignore = "minutes, even in a release build"]
fn one_hundred_thousand_sequences() {
    run(1_000_000, 100_000, 40);
}
