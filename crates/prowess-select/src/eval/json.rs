use serde_json::{Value, json};

use super::{Failing, Group, Pair, Rate, Report, SkillReport};

impl Report {
    /// The report as JSON. Rates have their Wilson interval beside them.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let names = self.skills.iter().map(|skill| Value::from(skill.name.as_str()));
        let errored = self.errored.iter().map(|(why, count)| json!({"why": why, "count": count}));
        json!({
            "counted": self.counted,
            "errored": {"count": self.errors(), "reasons": errored.collect::<Value>()},
            "recall": rate(self.recall()),
            "none_right": rate(self.quiet),
            "skills": self.skills.iter().map(skill).collect::<Value>(),
            "confusion": {"names": names.chain([Value::Null]).collect::<Value>(), "counts": self.confusion},
            "failing": self.failing.iter().map(failing).collect::<Value>(),
            "pairs": self.pairs.iter().map(pair).collect::<Value>(),
            "groups": self.groups.iter().map(group).collect::<Value>(),
            "usage": {"input": self.usage.input, "output": self.usage.output},
            "warnings": self.warnings,
        })
    }
}

fn skill(skill: &SkillReport) -> Value {
    json!({
        "name": skill.name, "prompts": skill.prompts,
        "recall": rate(skill.recall), "false_triggers": rate(skill.false_triggers),
    })
}

fn failing(failing: &Failing) -> Value {
    let instead = failing.instead.iter().map(|(name, count)| json!({"name": name, "count": count}));
    json!({
        "prompt": failing.prompt, "expected": failing.expected,
        "right": rate(failing.right), "instead": instead.collect::<Value>(),
    })
}

fn pair(pair: &Pair) -> Value {
    json!({
        "first": pair.first, "second": pair.second,
        "first_lost": pair.first_lost, "second_lost": pair.second_lost,
    })
}

fn group(group: &Group) -> Value {
    json!({"kind": group.kind, "name": group.name, "right": rate(group.right)})
}

fn rate(rate: Rate) -> Value {
    let rounded = |number: f64| (number * 10_000.0).round() / 10_000.0;
    let (low, high) = rate.interval();
    json!({
        "hits": rate.hits, "of": rate.of, "share": rate.value().map(rounded),
        "low": rounded(low), "high": rounded(high),
    })
}
