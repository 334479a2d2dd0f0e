use serde_json::{Value, json};

use super::{Rate, Report};

impl Report {
    /// The report as JSON. Rates have their Wilson interval beside them.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let names = self.skills.iter().map(|skill| Value::from(skill.name.as_str()));
        let skills = self.skills.iter().map(|skill| {
            json!({
                "name": skill.name, "prompts": skill.prompts,
                "recall": rate(skill.recall), "false_triggers": rate(skill.false_triggers),
            })
        });
        let failing = self.failing.iter().map(|failing| {
            let instead = failing.instead.iter().map(|(name, count)| json!({"name": name, "count": count}));
            json!({
                "prompt": failing.prompt, "expected": failing.expected,
                "right": rate(failing.right), "instead": instead.collect::<Value>(),
            })
        });
        let pairs = self.pairs.iter().map(|pair| {
            json!({
                "first": pair.first, "second": pair.second,
                "first_lost": pair.first_lost, "second_lost": pair.second_lost,
            })
        });
        let groups = self
            .groups
            .iter()
            .map(|group| json!({"kind": group.kind, "name": group.name, "right": rate(group.right)}));
        let errored = self.errored.iter().map(|(why, count)| json!({"why": why, "count": count}));
        json!({
            "counted": self.counted,
            "errored": {"count": self.errors(), "reasons": errored.collect::<Value>()},
            "recall": rate(self.recall()),
            "none_right": rate(self.quiet),
            "skills": skills.collect::<Value>(),
            "confusion": {"names": names.chain([Value::Null]).collect::<Value>(), "counts": self.confusion},
            "failing": failing.collect::<Value>(),
            "pairs": pairs.collect::<Value>(),
            "groups": groups.collect::<Value>(),
            "usage": {"input": self.usage.input, "output": self.usage.output},
            "warnings": self.warnings,
        })
    }
}

fn rate(rate: Rate) -> Value {
    let rounded = |number: f64| (number * 10_000.0).round() / 10_000.0;
    let (low, high) = rate.interval();
    json!({
        "hits": rate.hits, "of": rate.of, "share": rate.value().map(rounded),
        "low": rounded(low), "high": rounded(high),
    })
}
