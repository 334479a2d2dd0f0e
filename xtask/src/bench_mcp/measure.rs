//! What is measured of one server over one directory of skills.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;
use super::peers::Peer;
use super::skills;
use crate::process;

/// What the cells of [`measure`] are, in their order.
pub(super) const ROWS: [&str; 9] = [
    "start to first answer",
    "`skills/get`",
    "read of its `SKILL.md`",
    "`activate_skill`",
    "read of its other file",
    "an edit is served",
    "`skills/list`, first",
    "`skills/list`, again",
    "peak memory",
];

/// A figure as it is printed, or why there is none.
pub(super) type Cell = Result<String, String>;

/// How often a server is started, a call is made before it counts, and a call counts.
const STARTS: usize = 5;
const WARM_UPS: usize = 10;
const CALLS: usize = 200;
/// No step is repeated once it has taken so long.
const LONGEST: Duration = Duration::from_secs(20);

/// Measures everything over a directory of so many skills.
pub(super) fn measure(peer: &Peer, directory: &Path, count: usize) -> Vec<Cell> {
    let (mut client, first) = match start(peer, directory) {
        Ok(started) => started,
        Err(why) => return vec![Err(why); ROWS.len()],
    };
    let client = &mut client;
    let number = count / 2;
    let uri = |path: &str| json!({"uri": format!("skill://{}/{path}", skills::name(number))});
    let activate = json!({"name": "activate_skill", "arguments": {"name": skills::name(number)}});
    vec![
        Ok(first),
        repeat(client, "skills/get", &uri("SKILL.md"), number),
        repeat(client, "resources/read", &uri("SKILL.md"), number),
        repeat(client, "tools/call", &activate, number),
        repeat(client, "resources/read", &uri(skills::RESOURCE), number),
        serves_edit(client, directory, number, &uri("SKILL.md")),
        list(client, count),
        list(client, count),
        memory(client),
    ]
}

/// Starts a server several times; gives the last one.
fn start(peer: &Peer, directory: &Path) -> Result<(Client, String), String> {
    let began = Instant::now();
    let mut times = Times::default();
    loop {
        let start = Instant::now();
        let mut client = Client::start(&mut (peer.command)(directory))?;
        client.call("server/discover", json!({}))?;
        times.taken.push(start.elapsed());
        times.used += processor_time(&client)?;
        if times.taken.len() == STARTS || began.elapsed() > LONGEST {
            return Ok((client, times.to_string()));
        }
    }
}

/// Makes a call again and again. Its answer must be about the skill of that number.
fn repeat(client: &mut Client, method: &str, params: &Value, number: usize) -> Cell {
    let (answer, _) = client.call(method, params.clone())?;
    let answer = answer.to_string();
    if !answer.contains(&skills::mark(number)) {
        return Err(format!("`{method}` is answered with `{answer:.200}`"));
    }
    for _ in 1..WARM_UPS {
        client.call(method, params.clone())?;
    }
    let (began, before) = (Instant::now(), processor_time(client)?);
    let mut times = Times::default();
    while times.taken.len() < CALLS && began.elapsed() < LONGEST {
        times.taken.push(client.call(method, params.clone())?.1);
    }
    times.used = processor_time(client)?.saturating_sub(before);
    Ok(times.to_string())
}

fn serves_edit(client: &mut Client, directory: &Path, number: usize, uri: &Value) -> Cell {
    let file = directory.join(skills::name(number)).join("SKILL.md");
    fs::write(file, skills::text(number, "edited")).map_err(|error| format!("no edit: {error}"))?;
    let (answer, _) = client.call("resources/read", uri.clone())?;
    Ok(if answer.to_string().contains(", edited") { "yes" } else { "no" }.to_owned())
}

/// Lists all skills, page by page.
fn list(client: &mut Client, count: usize) -> Cell {
    let before = processor_time(client)?;
    let (mut taken, mut listed, mut pages) = (Duration::ZERO, 0, 0);
    let mut params = json!({});
    loop {
        let (page, took) = client.call("skills/list", params)?;
        taken += took;
        pages += 1;
        listed += page["skills"].as_array().map_or(0, Vec::len);
        let Some(next) = page["nextCursor"].as_str() else { break };
        params = json!({"cursor": next});
    }
    if listed != count {
        return Err(format!("it lists {listed} skills of {count}"));
    }
    let used = processor_time(client)?.saturating_sub(before);
    let pages = if pages == 1 { "1 page".to_owned() } else { format!("{pages} pages") };
    Ok(format!("{}, {pages}", Times { taken: vec![taken], used }))
}

fn memory(client: &Client) -> Cell {
    let bytes = process::memory(client.process(), "VmHWM").map_err(|error| error.to_string())?;
    Ok(format!("{} MB", bytes / 1_000_000))
}

fn processor_time(client: &Client) -> Result<Duration, String> {
    process::processor_time(client.process()).map_err(|error| format!("its times can't be read: {error}"))
}

/// How long each call took, and the processor time that the server used for all of them.
#[derive(Default)]
struct Times {
    taken: Vec<Duration>,
    used: Duration,
}

/// The median, the 95th percentile where there are enough, and the processor time of one.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.taken.clone();
        sorted.sort_unstable();
        let count = sorted.len();
        write!(f, "{}", shown(sorted[count / 2]))?;
        if count > STARTS {
            write!(f, " (p95 {})", shown(sorted[count * 95 / 100]))?;
        }
        let each = self.used / u32::try_from(count).unwrap_or(u32::MAX);
        write!(f, ", processor {}", shown(each))
    }
}

fn shown(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    match milliseconds {
        0.0..10.0 => format!("{milliseconds:.2} ms"),
        10.0..10_000.0 => format!("{milliseconds:.0} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
