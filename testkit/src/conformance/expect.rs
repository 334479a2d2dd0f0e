//! Expected against given answers.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::Question;

/// What is wrong with an answer, one line a field.
pub(super) fn compare(question: &Question<'_>, answer: &Json) -> Vec<String> {
    let mut found = Comparison { answer, wrong: Vec::new() };
    found.failure(question.expect);
    if answer.get("error").is_none() {
        if question.ask() == "list" {
            found.accounts();
        }
        for (field, expected) in question.expect {
            found.field(question.ask(), field, expected);
        }
    }
    found.wrong
}

struct Comparison<'a> {
    answer: &'a Json,
    wrong: Vec<String>,
}

impl Comparison<'_> {
    fn differ(&mut self, field: &str, expected: &Json, got: &Json) {
        self.wrong.push(format!("{field}: expected {expected}, got {got}"));
    }

    fn same(&mut self, field: &str, expected: &Json, got: &Json) {
        if expected != got {
            self.differ(field, expected, got);
        }
    }

    fn field(&mut self, ask: &str, field: &str, expected: &Json) {
        match (ask, field) {
            (_, "error" | "candidates") => {}
            (_, "contains" | "not_contains" | "counts" | "text") => self.text(field, expected),
            ("list", "loaded") => self.loaded(expected),
            ("list", "shadowed") => self.shadowed(expected),
            ("list", "invalid") => self.map(field, expected, ("location", "code")),
            ("list", "duplicates") => self.map(field, expected, ("location", "of")),
            ("list", "scopes") => self.skills(field, "scope", expected),
            ("list", "ids") => self.skills(field, "id", expected),
            ("list", "visibility") => self.skills(field, "visibility", expected),
            ("list", "locations") => self.skills(field, "location", expected),
            ("list", "roots") => self.roots(expected),
            ("list", "limits") => self.limits(expected),
            ("list" | "check", "codes" | "no_codes" | "once" | "diagnostics" | "quiet") => {
                self.diagnostics(field, expected)
            }
            ("check", "errors" | "warnings" | "files") | ("catalog", "omitted") => {
                self.same(field, expected, &self.answer[field])
            }
            ("catalog", "ids") => self.shown_ids(expected),
            ("catalog", "shown") => self.shown(expected),
            ("catalog", "tokens_at_most") => self.at_most("tokens", expected),
            (
                "activate" | "call",
                "id" | "status" | "directory" | "digest" | "resources" | "resources_total",
            ) => self.same(field, expected, &self.answer[field]),
            ("activate" | "call", "protected") => {
                self.same(field, expected, &self.answer["metadata"]["protected"])
            }
            ("resource", "size" | "offset" | "length" | "path" | "location") => {
                self.same(field, expected, &self.answer[field])
            }
            ("tools", "names" | "enum") => self.tools(field, expected),
            ("mentions", "mentions") => self.same(field, expected, self.answer),
            ("why", "near") => self.same(field, expected, &self.answer[field]),
            ("why", "states") => self.findings(field, "state", expected),
            ("why", "reasons") => self.findings(field, "code", expected),
            _ => self.differ(field, expected, &json!("no such field for this question")),
        }
    }

    /// An error that is not expected, or one that is and does not come.
    fn failure(&mut self, expect: &Map<String, Json>) {
        let code = self.answer.pointer("/error/code").unwrap_or(&Json::Null);
        let expected = expect.get("error").unwrap_or(&Json::Null);
        let any = *expected == true && code.is_string();
        if !any {
            self.same("error", expected, code);
        }
        if let Some(expected) = expect.get("candidates") {
            let got = self.answer.pointer("/error/candidates").unwrap_or(&Json::Null);
            self.same("candidates", expected, got);
        }
    }

    /// Every file that was seen is in exactly one state.
    fn accounts(&mut self) {
        let states = ["skills", "shadowed", "duplicates", "invalid"];
        let counted: usize = states.iter().map(|state| items(&self.answer[state]).len()).sum();
        self.same("skill_files", &self.answer["scan"]["skill_files"], &json!(counted));
    }

    fn text(&mut self, field: &str, expected: &Json) {
        let text = self.answer["text"].as_str().unwrap_or_default();
        let got = Json::from(text);
        let wrong = match field {
            "text" => *expected != got,
            "contains" => items(expected).iter().any(|part| !text.contains(part.as_str().unwrap_or("\0"))),
            "not_contains" => items(expected).iter().any(|part| text.contains(part.as_str().unwrap_or(""))),
            _ => expected
                .as_object()
                .into_iter()
                .flatten()
                .any(|(part, count)| Some(text.matches(part.as_str()).count() as u64) != count.as_u64()),
        };
        if wrong {
            self.differ(field, expected, &got);
        }
    }

    fn loaded(&mut self, expected: &Json) {
        let skills = items(&self.answer["skills"]);
        let mut got = Map::new();
        for skill in skills {
            let name = text(skill, "name");
            let namesakes = skills.iter().filter(|other| other["name"] == skill["name"]).count();
            let key = if namesakes > 1 { text(skill, "id") } else { name };
            let description = match expected.get(key) {
                Some(Json::Null) => Json::Null,
                _ => folded(text(skill, "description")).into(),
            };
            got.insert(key.to_owned(), description);
        }
        let expected = expected.as_object().cloned().unwrap_or_default();
        let expected =
            expected.into_iter().map(|(name, description)| (name, description.as_str().map(folded).into()));
        self.same("loaded", &Json::Object(expected.collect()), &Json::Object(got));
    }

    fn shadowed(&mut self, expected: &Json) {
        self.map("shadowed", expected, ("location", "winner"));
        for loser in items(&self.answer["shadowed"]) {
            let names_both = |diagnostic: &&Json| {
                let named =
                    |path: &Json| diagnostic["path"] == *path || items(&diagnostic["related"]).contains(path);
                diagnostic["code"] == "shadowed" && named(&loser["location"]) && named(&loser["winner"])
            };
            if !items(&self.answer["diagnostics"]).iter().any(|one| names_both(&one)) {
                self.differ("shadowed", &json!("a `shadowed` diagnostic that names both paths"), loser);
            }
        }
    }

    fn map(&mut self, field: &str, expected: &Json, (key, value): (&str, &str)) {
        let got = items(&self.answer[field]).iter();
        let got = got.map(|item| (text(item, key).to_owned(), item[value].clone()));
        let got = Json::Object(got.collect());
        self.same(field, expected, &got);
    }

    /// What some skills have, by name or id.
    fn skills(&mut self, field: &str, of: &str, expected: &Json) {
        let named = |name: &String| {
            let is_meant = |skill: &&Json| [text(skill, "name"), text(skill, "id")].contains(&name.as_str());
            items(&self.answer["skills"]).iter().find(is_meant)
        };
        let names = expected.as_object().into_iter().flatten().map(|(name, _)| name);
        let got = names.map(|name| (name.clone(), named(name).map_or(Json::Null, |skill| skill[of].clone())));
        let got = Json::Object(got.collect());
        self.same(field, expected, &got);
    }

    /// The roots that are there, highest first.
    fn roots(&mut self, expected: &Json) {
        let roots = items(&self.answer["roots"]).iter();
        let got = roots.filter(|root| root["exists"] == true).map(|root| root["path"].clone());
        let got = got.collect();
        self.same("roots", expected, &got);
    }

    fn limits(&mut self, expected: &Json) {
        let hit = items(&self.answer["scan"]["limits_hit"]).iter();
        let got = hit.map(|hit| hit["limit"].clone()).collect();
        self.same("limits", expected, &got);
    }

    fn diagnostics(&mut self, field: &str, expected: &Json) {
        let diagnostics = items(&self.answer["diagnostics"]);
        let count = |code: &Json| diagnostics.iter().filter(|one| one["code"] == *code).count();
        let is_loud = |one: &&Json| one["severity"] != "info";
        let right = match field {
            "codes" => items(expected).iter().all(|code| count(code) > 0),
            "no_codes" => items(expected).iter().all(|code| count(code) == 0),
            "once" => items(expected).iter().all(|code| count(code) == 1),
            "quiet" => diagnostics.iter().any(|one| is_loud(&one)) != (*expected == true),
            _ if items(expected).is_empty() => diagnostics.is_empty(),
            _ => items(expected).iter().all(|one| diagnostics.iter().any(|other| is_like(other, one))),
        };
        if !right {
            self.differ(field, expected, &self.answer["diagnostics"]);
        }
    }

    /// The skills that stand in the catalog, in its order.
    fn shown_ids(&mut self, expected: &Json) {
        let skills = items(&self.answer["skills"]).iter();
        let got = skills.filter(|skill| skill["shown"] != "omitted").map(|skill| skill["id"].clone());
        let got = got.collect();
        self.same("ids", expected, &got);
    }

    fn shown(&mut self, expected: &Json) {
        let of = |id: &String| items(&self.answer["skills"]).iter().find(|skill| text(skill, "id") == id);
        let ids = expected.as_object().into_iter().flatten().map(|(id, _)| id);
        let got = ids.map(|id| (id.clone(), of(id).map_or(Json::Null, |skill| skill["shown"].clone())));
        let got = Json::Object(got.collect());
        self.same("shown", expected, &got);
    }

    fn at_most(&mut self, field: &str, expected: &Json) {
        if self.answer[field].as_u64() > expected.as_u64() {
            self.differ(field, expected, &self.answer[field]);
        }
    }

    /// The tools' names, or the skills that they take, in whatever form a provider has them.
    fn tools(&mut self, field: &str, expected: &Json) {
        let mut found = Vec::new();
        let key = if field == "enum" { "enum" } else { "name" };
        collect(self.answer, key, &mut found);
        let got = match field {
            "enum" => found.first().map_or(Json::Null, |names| (*names).clone()),
            _ => found.into_iter().filter(|name| name.is_string()).cloned().collect(),
        };
        self.same(field, expected, &got);
    }

    fn findings(&mut self, field: &str, of: &str, expected: &Json) {
        let entries = items(&self.answer["entries"]).iter();
        let got = entries.map(|entry| (text(entry, "location").to_owned(), entry[of].clone()));
        let got = Json::Object(got.collect());
        self.same(field, expected, &got);
    }
}

/// Whether a diagnostic has what is expected of it: equal fields, and texts that its message or help contains.
fn is_like(diagnostic: &Json, expected: &Json) -> bool {
    let fields: BTreeMap<&String, &Json> = expected.as_object().into_iter().flatten().collect();
    fields.into_iter().all(|(field, expected)| {
        let contains = |of: &str| {
            let part = expected.as_str().unwrap_or("\0");
            text(diagnostic, of).contains(part)
        };
        match field.as_str() {
            "message_contains" => contains("message"),
            "help_contains" => contains("help"),
            _ => diagnostic[field] == *expected,
        }
    })
}

fn collect<'a>(value: &'a Json, key: &str, found: &mut Vec<&'a Json>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| collect(item, key, found)),
        Json::Object(fields) => {
            for (name, item) in fields {
                if name == key {
                    found.push(item);
                }
                collect(item, key, found);
            }
        }
        _ => {}
    }
}

fn items(value: &Json) -> &[Json] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// White space as one blank: how a runtime breaks a long line is its own affair.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
