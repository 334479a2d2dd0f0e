use std::collections::{BTreeMap, HashMap};

use prowess::Library;

use super::{Attempt, Prompt, Rate, Split};
use crate::model::Usage;

/// What attempts come to. The same attempts give the same report, in whatever order they were made.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Each skill that a model can choose, by name.
    pub skills: Vec<SkillReport>,
    /// How often a prompt that should trigger nothing triggered nothing.
    pub quiet: Rate,
    /// What was expected (by row) and what was chosen (by column): the skills in order, then none.
    pub confusion: Vec<Vec<u32>>,
    /// The prompts that did not always trigger what they should, worst first.
    pub failing: Vec<Failing>,
    /// The pairs of skills of which one was taken for the other, most often first.
    pub pairs: Vec<Pair>,
    /// How often the right thing was chosen, by split and by tag.
    pub groups: Vec<Group>,
    /// Attempts that count, and attempts that errored.
    pub counted: usize,
    /// Why attempts errored, and how often.
    pub errored: Vec<(String, usize)>,
    /// What all of it cost.
    pub usage: Usage,
    /// What makes the figures doubtful.
    pub warnings: Vec<String>,
}

/// How one skill does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillReport {
    /// Its name.
    pub name: String,
    /// How many prompts should trigger it.
    pub prompts: usize,
    /// How often it was triggered when it should have been.
    pub recall: Rate,
    /// How often it was triggered when it should not have been.
    pub false_triggers: Rate,
}

/// A prompt that failed, at least once.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failing {
    /// What the user says.
    pub prompt: String,
    /// The skill that it should trigger; none if it should trigger none.
    pub expected: Option<String>,
    /// How often it did what it should.
    pub right: Rate,
    /// What was chosen instead, and how often; none stands for no skill.
    pub instead: Vec<(Option<String>, u32)>,
}

/// Two skills that steal from each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pair {
    /// The one.
    pub first: String,
    /// The other.
    pub second: String,
    /// How often the other was chosen where the one was expected.
    pub first_lost: u32,
    /// How often the one was chosen where the other was expected.
    pub second_lost: u32,
}

/// Prompts that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// `split` or `tag`.
    pub kind: &'static str,
    /// Which one.
    pub name: String,
    /// How often what was expected, none included, was chosen.
    pub right: Rate,
}

impl Report {
    /// Counts. Attempts of prompts that are not given are left out.
    #[must_use]
    pub fn new(library: &Library, prompts: &[Prompt], attempts: &[Attempt]) -> Self {
        let names: Vec<String> = library.listed().map(|skill| library.call_name(skill).to_owned()).collect();
        let mut by_prompt: HashMap<&str, Vec<&Attempt>> = HashMap::new();
        for attempt in attempts {
            by_prompt.entry(&attempt.prompt).or_default().push(attempt);
        }
        let mut counting = Counting::new(&names);
        for prompt in prompts {
            let attempts = by_prompt.get(prompt.id.as_str()).map_or(&[] as &[_], Vec::as_slice);
            counting.take(prompt, attempts);
        }
        counting.finish()
    }

    /// How often a prompt that should trigger a skill triggered it, over all skills.
    #[must_use]
    pub fn recall(&self) -> Rate {
        let sum = |rate: Rate, skill: &SkillReport| {
            Rate::new(rate.hits + skill.recall.hits, rate.of + skill.recall.of)
        };
        self.skills.iter().fold(Rate::default(), sum)
    }

    /// How many attempts errored.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errored.iter().map(|(_, count)| count).sum()
    }
}

struct Counting {
    report: Report,
    errored: BTreeMap<String, usize>,
    splits: BTreeMap<Split, Rate>,
    tags: BTreeMap<String, Rate>,
}

impl Counting {
    fn new(names: &[String]) -> Self {
        let skill = |name: &String| SkillReport { name: name.clone(), ..SkillReport::default() };
        let size = names.len() + 1;
        Self {
            report: Report {
                skills: names.iter().map(skill).collect(),
                confusion: vec![vec![0; size]; size],
                ..Report::default()
            },
            errored: BTreeMap::new(),
            splits: BTreeMap::new(),
            tags: BTreeMap::new(),
        }
    }

    /// Where a skill stands in the matrix; none is last.
    fn index(&self, name: Option<&str>) -> usize {
        let skills = &self.report.skills;
        name.and_then(|name| skills.iter().position(|skill| skill.name == name)).unwrap_or(skills.len())
    }

    fn take(&mut self, prompt: &Prompt, attempts: &[&Attempt]) {
        let expected = self.index(prompt.expected.as_deref());
        if let Some(skill) = self.report.skills.get_mut(expected) {
            skill.prompts += 1;
        }
        let mut right = Rate::default();
        let mut instead: BTreeMap<Option<String>, u32> = BTreeMap::new();
        for attempt in attempts {
            self.report.usage += attempt.usage;
            if let Some(why) = &attempt.errored {
                *self.errored.entry(why.clone()).or_default() += 1;
                continue;
            }
            let is_right = self.count(prompt, expected, attempt);
            right.count(is_right);
            if !is_right {
                *instead.entry(attempt.activated.first().cloned()).or_default() += 1;
            }
        }
        if right.hits < right.of {
            let mut instead: Vec<_> = instead.into_iter().collect();
            instead.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            self.report.failing.push(Failing {
                prompt: prompt.text.clone(),
                expected: prompt.expected.clone(),
                right,
                instead,
            });
        }
    }

    /// Counts an attempt that did not error, and says whether it did what it should.
    fn count(&mut self, prompt: &Prompt, expected: usize, attempt: &Attempt) -> bool {
        let is_right = match &prompt.expected {
            Some(name) => attempt.activated.contains(name),
            None => attempt.activated.is_empty(),
        };
        let chosen =
            if is_right { expected } else { self.index(attempt.activated.first().map(String::as_str)) };
        self.report.confusion[expected][chosen] += 1;
        self.report.counted += 1;
        if prompt.expected.is_none() {
            self.report.quiet.count(is_right);
        }
        for (index, skill) in self.report.skills.iter_mut().enumerate() {
            if index == expected {
                skill.recall.count(is_right);
            } else {
                skill.false_triggers.count(attempt.activated.contains(&skill.name));
            }
        }
        self.splits.entry(prompt.split).or_default().count(is_right);
        for tag in &prompt.tags {
            self.tags.entry(tag.clone()).or_default().count(is_right);
        }
        is_right
    }

    fn finish(self) -> Report {
        let Self { mut report, errored, splits, tags } = self;
        report.failing.sort_by(|a, b| {
            let share = |failing: &Failing| failing.right.value().unwrap_or(0.0);
            share(a).total_cmp(&share(b))
        });
        report.pairs = pairs(&report);
        let group = |kind, name: String, right| Group { kind, name, right };
        let splits =
            splits.into_iter().map(|(split, right)| group("split", split.as_str().to_owned(), right));
        report.groups = splits.chain(tags.into_iter().map(|(tag, right)| group("tag", tag, right))).collect();
        report.errored = errored.into_iter().collect();
        report.errored.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        report.warnings = warnings(&report);
        report
    }
}

fn pairs(report: &Report) -> Vec<Pair> {
    let (skills, confusion) = (&report.skills, &report.confusion);
    let all =
        (0..skills.len()).flat_map(|first| (first + 1..skills.len()).map(move |second| (first, second)));
    let pair = |(first, second): (usize, usize)| Pair {
        first: skills[first].name.clone(),
        second: skills[second].name.clone(),
        first_lost: confusion[first][second],
        second_lost: confusion[second][first],
    };
    let mut pairs: Vec<Pair> = all.map(pair).filter(|pair| pair.first_lost + pair.second_lost > 0).collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.first_lost + pair.second_lost));
    pairs
}

fn warnings(report: &Report) -> Vec<String> {
    let recall = report.recall();
    let mut warnings = Vec::new();
    if recall.of > 0 && recall.hits == 0 {
        warnings.push(
            "no prompt triggered its skill: that is most likely the setup (an endpoint that ignores tools?), not the \
             descriptions; another method may tell"
                .to_owned(),
        );
    }
    let (errors, all) = (report.errors(), report.errors() + report.counted);
    if errors * 10 > all {
        warnings.push(format!("{errors} of {all} attempts errored: the rest may not be a fair sample"));
    }
    warnings
}
