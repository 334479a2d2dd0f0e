use minijinja::value::{Serde, Value as Values};
use minijinja::{AutoEscape, Environment};
use serde_json::{Value, json};

use super::{Rate, Report};

const TEMPLATE: &str = include_str!("report.html");
/// How wide a plot is, in its own units.
const PLOT: f64 = 260.0;

impl Report {
    /// The report as one HTML file: no script, no request, light and dark. `title` says what was measured, `notes` how.
    #[must_use]
    pub fn to_html(&self, title: &str, notes: &[String]) -> String {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let names: Vec<&str> = self.skills.iter().map(|skill| skill.name.as_str()).chain(["none"]).collect();
        let skills: Vec<Value> = self
            .skills
            .iter()
            .map(|skill| {
                json!({
                    "name": skill.name, "prompts": skill.prompts,
                    "recall": plot(skill.recall), "wrong": plot(skill.false_triggers),
                })
            })
            .collect();
        let failing: Vec<Value> = self
            .failing
            .iter()
            .map(|failing| {
                let instead = failing
                    .instead
                    .iter()
                    .map(|(name, count)| format!("{} × {count}", name.as_deref().unwrap_or("none")));
                json!({
                    "prompt": failing.prompt, "expected": failing.expected.as_deref().unwrap_or("none"),
                    "right": format!("{} of {}", failing.right.hits, failing.right.of),
                    "instead": instead.collect::<Vec<_>>().join(", "),
                })
            })
            .collect();
        let groups: Vec<Value> = self
            .groups
            .iter()
            .map(|group| json!({"kind": group.kind, "name": group.name, "right": plot(group.right)}))
            .collect();
        let pairs: Vec<Value> = self.pairs.iter().map(|pair| {
            json!({"first": pair.first, "second": pair.second, "first_lost": pair.first_lost, "second_lost": pair.second_lost})
        }).collect();
        let values = json!({
            "title": title, "notes": notes, "names": names, "skills": skills, "failing": failing,
            "groups": groups, "pairs": pairs, "rows": self.rows(),
            "recall": plot(self.recall()), "quiet": plot(self.quiet),
            "counted": self.counted, "errors": self.errors(), "errored": self.errored, "warnings": self.warnings,
            "input": self.usage.input, "output": self.usage.output, "plot": PLOT,
        });
        // The template is ours and tested; were it wrong, the page would say so.
        environment.render_str(TEMPLATE, Values::from(Serde(values))).unwrap_or_else(|error| {
            format!("<!doctype html><title>prowess</title><p>{}", escaped(&error.to_string()))
        })
    }

    /// The matrix, each cell with its share of the row.
    fn rows(&self) -> Vec<Value> {
        let names = self.skills.iter().map(|skill| skill.name.as_str()).chain(["none"]);
        let row = |(index, (name, counts)): (usize, (&str, &Vec<u32>))| {
            let sum: u32 = counts.iter().sum();
            let cell = |(column, count): (usize, &u32)| {
                let share = Rate::new(*count, sum).value().unwrap_or(0.0);
                json!({"count": count, "percent": (share * 100.0).round(), "right": column == index})
            };
            json!({"name": name, "cells": counts.iter().enumerate().map(cell).collect::<Vec<_>>()})
        };
        names.zip(&self.confusion).enumerate().map(row).collect()
    }
}

/// A rate as text, and as places in a plot.
fn plot(rate: Rate) -> Value {
    let place = |share: f64| (share * PLOT * 10.0).round() / 10.0;
    let (low, high) = rate.interval();
    let text = match rate.value() {
        None => "not measured".to_owned(),
        Some(share) => format!(
            "{:.0} % ({} of {}; {:.0}–{:.0} %)",
            share * 100.0,
            rate.hits,
            rate.of,
            low * 100.0,
            high * 100.0
        ),
    };
    json!({
        "text": text, "measured": rate.of > 0, "at": place(rate.value().unwrap_or(0.0)),
        "low": place(low), "width": place(high - low),
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
