//! `cargo xtask bench-mcp`: how long servers of skills take for an answer, and what they need for it.

mod client;
mod measure;
mod peers;
mod skills;

use std::thread;
use std::time::Duration;

use comfy_table::Table;
use comfy_table::presets::ASCII_MARKDOWN;
use prowess_testkit::Tree;

use self::measure::{ROWS, measure};
use self::peers::Peer;
use crate::step::Failure;

const SIZES: [usize; 2] = [1_000, 10_000];
/// How old skills are when a server starts. They seldom are from the same second.
const AGE: Duration = Duration::from_secs(5);

/// Below the table.
const LEGEND: &str = "\
Over stdio, in the 2026-07-28 revision; each skill is a `SKILL.md` of 5 kB and one more file. The median and the 95th
percentile of the time until the answer is there, and the server's processor time for one of them; for all of them
together that is known to 10 ms. The first answer is that to `server/discover`. `skills/get` gives a skill's frontmatter,
and each file's digest and size. A client gets a skill's text by a read of its `SKILL.md`, or by `activate_skill`, which
adds the rule for paths and the names of the other files.";

/// Measures each server that can be had here, and prints one table.
pub(crate) fn run() -> Result<(), Failure> {
    let mut peers = vec![peers::prowess()?];
    let mut notes = Vec::new();
    for (name, peer) in [("rmcp", peers::rmcp()), ("fastmcp", peers::fastmcp())] {
        match peer {
            Ok(peer) => peers.push(peer),
            Err(failure) => notes.push(format!("{name} is left out: {}", failure.message)),
        }
    }
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(["skills", "measured"].into_iter().chain(peers.iter().map(|peer| peer.name.as_str())));
    for size in SIZES {
        for row in rows(size, &peers, &mut notes)? {
            table.add_row(row);
        }
    }
    println!("\n{table}\n\n{LEGEND}");
    for peer in peers {
        println!("{} {}.", peer.name, peer.about);
    }
    for note in notes {
        println!("{note}.");
    }
    Ok(())
}

/// The rows for so many skills.
fn rows(size: usize, peers: &[Peer], notes: &mut Vec<String>) -> Result<Vec<Vec<String>>, Failure> {
    let mut rows: Vec<Vec<String>> =
        ROWS.iter().map(|row| vec![size.to_string(), (*row).to_owned()]).collect();
    for peer in peers {
        println!("{}, {size} skills", peer.name);
        // Each has its own: an edit is part of what is measured.
        let tree = Tree::new();
        skills::lay(tree.path(), size).map_err(|error| Failure::new(format!("no skills: {error}")))?;
        thread::sleep(AGE);
        for (row, cell) in rows.iter_mut().zip(measure(peer, tree.path(), size)) {
            row.push(cell.unwrap_or_else(|why| {
                let note = format!("- {}, {size} skills: {why}", peer.name);
                if !notes.contains(&note) {
                    notes.push(note);
                }
                "-".to_owned()
            }));
        }
    }
    Ok(rows)
}
