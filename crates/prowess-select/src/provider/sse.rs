//! Server-sent events, line by line.

use std::io::{self, BufRead};

/// Reads the next event's data; none at the end. An event that the end cuts off is given as far as it came.
pub(super) fn next(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut data: Option<String> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(data);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r']);
        if text.is_empty() {
            if data.is_some() {
                return Ok(data);
            }
            continue;
        }
        // Comments, and the event's name, which the data repeats.
        let Some(value) = text.strip_prefix("data:") else {
            continue;
        };
        let value = value.strip_prefix(' ').unwrap_or(value);
        match &mut data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => data = Some(value.to_owned()),
        }
    }
}
