//! One job: which skill fits a prompt? The model chooses. No other file reaches the network.

use crate::parse::Skill;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::{env, error::Error, net::TcpStream, time::Duration};

/// The skill, if one fits, and how it was chosen.
type Choice<'a> = (Option<&'a Skill>, String);

/// Asks the model at `LAB_ENDPOINT` (`http://HOST:PORT/v1`). Where that fails, words are counted.
pub fn select<'a>(system: &str, prompt: &str, skills: &'a [Skill]) -> Choice<'a> {
    ask(system, prompt, skills).unwrap_or_else(|why| {
        (word_match(prompt, skills), format!("an offline word match, not a judgement: {why}"))
    })
}

fn ask<'a>(system: &str, prompt: &str, skills: &'a [Skill]) -> Result<Choice<'a>, Box<dyn Error>> {
    let endpoint = env::var("LAB_ENDPOINT").map_err(|_| "LAB_ENDPOINT is not set")?;
    let model = env::var("LAB_MODEL").unwrap_or_else(|_| "default".into());
    let system = format!("{system}\nAnswer with the name of the one skill that fits, or with: none");
    let messages = json!([{"role": "system", "content": system}, {"role": "user", "content": prompt}]);
    let request = json!({"model": model, "temperature": 0, "messages": messages}).to_string();
    let reply = post(&endpoint, &request).map_err(|why| format!("{endpoint} failed: {why}"))?;
    let reply: Value = serde_json::from_str(&reply)?;
    let answer = reply["choices"][0]["message"]["content"].as_str().ok_or("the reply has no text")?;
    // An answer that names two skills, or none of ours, is no choice.
    let mut named = skills.iter().filter(|skill| answer.contains(&skill.name));
    let skill = named.next().filter(|_| named.next().is_none());
    Ok((skill, format!("{model} at {endpoint} answered {answer:?}")))
}

fn post(endpoint: &str, body: &str) -> Result<String, Box<dyn Error>> {
    let address = endpoint.strip_prefix("http://").ok_or("it does not begin with http://")?;
    let (host, path) = address.trim_end_matches('/').split_once('/').unwrap_or((address, ""));
    let (mut stream, length) = (TcpStream::connect(host)?, body.len());
    stream.set_read_timeout(Some(Duration::from_secs(120)))?;
    write!(stream, "POST /{path}/chat/completions HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n")?;
    write!(stream, "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")?;
    let mut reader = BufReader::new(stream.take(1 << 20));
    let (mut head, mut text) = (String::new(), Vec::new());
    while reader.read_line(&mut head)? > 2 {} // The head ends with an empty line.
    let head = head.to_lowercase();
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let mut length: u64 = header("content-length:").map_or(Ok(u64::MAX), str::parse)?;
    while length > 0 && header("transfer-encoding:") == Some("chunked") {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        length = u64::from_str_radix(size.trim(), 16)?;
        reader.by_ref().take(length).read_to_end(&mut text)?;
        reader.read_line(&mut size)?; // The line end after the chunk.
    }
    reader.take(length).read_to_end(&mut text)?;
    let text = String::from_utf8(text)?;
    if head.contains(" 200 ") { Ok(text) } else { Err(format!("{head}{text}").into()) }
}

/// Knows neither synonyms nor meaning: it only lets the flow run without a network.
fn word_match<'a>(prompt: &str, skills: &'a [Skill]) -> Option<&'a Skill> {
    let shared = |skill: &&Skill| {
        let offered = format!("{} {}", skill.name, skill.description).to_lowercase();
        let wanted = prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        wanted.filter(|word| offered.contains(&word.to_lowercase())).count()
    };
    skills.iter().max_by_key(shared).filter(|skill| shared(skill) > 0)
}
