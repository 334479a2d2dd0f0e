//! What Linux says of a running process.

use std::fs;
use std::io;
use std::time::Duration;

/// How much processor time it has used, in steps of 10 ms.
pub(crate) fn processor_time(id: u32) -> io::Result<Duration> {
    let line = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The program's name may hold blanks; it ends with the last parenthesis.
    let fields = line.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
    let ticks: Option<Vec<u64>> =
        fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse().ok()).collect();
    let ticks = ticks.filter(|ticks| ticks.len() == 2).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Duration::from_millis(10 * (ticks[0] + ticks[1])))
}

/// A size in bytes of its status: `VmRSS` is what it holds in memory, `VmHWM` the most that it held.
pub(crate) fn memory(id: u32, key: &str) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let size = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    Ok(size.ok_or(io::ErrorKind::InvalidData)? * 1024)
}

/// How many files, sockets and the like it has open.
pub(crate) fn descriptors(id: u32) -> io::Result<usize> {
    Ok(fs::read_dir(format!("/proc/{id}/fd"))?.count())
}
