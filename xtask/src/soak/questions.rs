//! What clients ask, and whether what they hear can be true.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::client::Client;
use super::record::{Before, File, Possible, Record};
use super::text;
use super::world::{NOTES, SLOTS};

/// The errors of the protocol that say that there is nothing of that name.
const NOT_THERE: [i64; 2] = [-32602, -32002];

/// Asks one question, chosen at random, and checks the answer.
pub(super) fn ask(client: &mut Client, record: &Record) -> Result<(), String> {
    let slot = fastrand::usize(..SLOTS);
    let name = text::name(slot);
    let uri = |path: &str| json!({"uri": format!("skill://{name}/{path}")});
    let tool = |tool: &str, arguments: Value| ("tools/call", json!({"name": tool, "arguments": arguments}));
    let (file, (method, params)) = match fastrand::u8(..100) {
        0..5 => return list(client, record),
        5..10 => return list_tools(client),
        10..20 => return entry(client, record, slot),
        20..30 => return why(client, record, slot),
        30..60 => (File::Text, tool("activate_skill", json!({"name": name}))),
        60..70 => (File::Text, ("prompts/get", json!({"name": name}))),
        70..80 => (File::Text, ("resources/read", uri("SKILL.md"))),
        80..90 => (File::Notes, ("resources/read", uri(NOTES))),
        _ => (File::Notes, tool("read_skill_resource", json!({"name": name, "path": NOTES}))),
    };
    let before = record.before(slot);
    let served = served(client.ask(method, params.clone())?);
    let possible = record.possible(slot, file, &before);
    served.and_then(|served| possible.check(served)).map_err(|why| format!("`{method}` {params}: {why}"))
}

/// The version of the text in an answer; none if it says that there is nothing.
fn served(answer: Result<Value, Value>) -> Result<Option<u64>, String> {
    let result = match answer {
        Ok(result) => result,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if result["isError"] == true {
        return match result["_meta"]["prowess/error"]["code"].as_str() {
            Some("unknown-skill" | "unknown-resource") => Ok(None),
            _ => Err(result.to_string()),
        };
    }
    let places = ["/content/0/text", "/messages/0/content/text", "/contents/0/text"];
    let text = places.iter().find_map(|place| result.pointer(place)?.as_str());
    let text = text.ok_or_else(|| format!("there is no text in {result}"))?;
    match text::version(text) {
        Some(version) if text.contains(text::body(version).trim_end()) => Ok(Some(version)),
        _ => Err(format!("no version had this text: {text}")),
    }
}

fn is_absence(error: &Value) -> bool {
    error["code"].as_i64().is_some_and(|code| NOT_THERE.contains(&code))
}

/// Lists all skills: each that was there all the time, and none that never was.
fn list(client: &mut Client, record: &Record) -> Result<(), String> {
    let before: Vec<Before> = (0..SLOTS).map(|slot| record.before(slot)).collect();
    let mut served = vec![None; SLOTS];
    let mut params = json!({});
    loop {
        let page = client.ask("skills/list", params)?.map_err(|error| format!("`skills/list`: {error}"))?;
        for skill in page["skills"].as_array().into_iter().flatten() {
            let name = skill["frontmatter"]["name"].as_str().unwrap_or_default();
            let slot =
                text::slot(name).ok_or_else(|| format!("a skill that never was is listed: {skill}"))?;
            served[slot] = skill["frontmatter"]["description"].as_str().and_then(text::version);
        }
        let Some(next) = page["nextCursor"].as_str() else { break };
        params = json!({"cursor": next});
    }
    for (slot, (before, served)) in before.iter().zip(served).enumerate() {
        let listed = record.possible(slot, File::Text, before).check(served);
        listed.map_err(|why| format!("`skills/list`, {}: {why}", text::name(slot)))?;
    }
    Ok(())
}

pub(super) fn list_tools(client: &mut Client) -> Result<(), String> {
    let tools = client.ask("tools/list", json!({}))?.map_err(|error| format!("`tools/list`: {error}"))?;
    match tools["tools"].as_array().map_or(0, Vec::len) {
        4 => Ok(()),
        _ => Err(format!("`tools/list` has other tools: {tools}")),
    }
}

/// Asks for a skill's entry, whose digests must be those of files that were there.
fn entry(client: &mut Client, record: &Record, slot: usize) -> Result<(), String> {
    let before = record.before(slot);
    let uri = format!("skill://{}/SKILL.md", text::name(slot));
    let entry = match client.ask("skills/get", json!({"uri": uri}))? {
        Ok(result) => Some(result),
        Err(error) if is_absence(&error) => None,
        Err(error) => return Err(format!("`skills/get` {uri}: {error}")),
    };
    for (file, number) in [(File::Text, 0), (File::Notes, 1)] {
        let possible = record.possible(slot, file, &before);
        let digest = entry.as_ref().map(|entry| &entry["skill"]["resources"][number]["digest"]);
        let has_digest = |version: &u64| digest.is_some_and(|digest| *digest == sha256(slot, file, *version));
        let version = match &possible {
            Possible::Versions(versions) => versions.iter().copied().find(has_digest),
            _ => None,
        };
        // There is no version 0: what else is served is of none.
        let served = digest.map(|_| version.unwrap_or(0));
        possible.check(served).map_err(|why| format!("`skills/get` {uri}, file {number}: {why}"))?;
    }
    Ok(())
}

fn sha256(slot: usize, file: File, version: u64) -> String {
    let content = match file {
        File::Text => text::skill(slot, version),
        File::Notes => text::body(version),
    };
    let bytes = Sha256::digest(content);
    bytes.iter().fold("sha256:".to_owned(), |digest, byte| digest + &format!("{byte:02x}"))
}

/// Asks what became of a skill.
fn why(client: &mut Client, record: &Record, slot: usize) -> Result<(), String> {
    let name = text::name(slot);
    let before = record.before(slot);
    let call = json!({"name": "why_skill", "arguments": {"name": name}});
    let result = client.ask("tools/call", call)?.map_err(|error| format!("`why_skill` {name}: {error}"))?;
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let explanation: Value = serde_json::from_str(text).unwrap_or_default();
    let entries = explanation["entries"].as_array().ok_or_else(|| format!("`why_skill` {name}: {result}"))?;
    let id = format!("soak:{name}");
    let is_loaded = entries.iter().any(|entry| entry["state"] == "loaded" && entry["id"] == id);
    match (record.possible(slot, File::Text, &before), is_loaded) {
        (Possible::Refusal, true) | (Possible::Versions(_), false) => {
            Err(format!("`why_skill` {name}: {text}"))
        }
        _ => Ok(()),
    }
}
