//! Tables in Markdown, ready for a README.

/// Prints a table; the first column is text, the others are figures.
pub(crate) fn print(head: &[&str], rows: &[Vec<String>]) {
    println!("| {} |", head.join(" | "));
    println!("| --- |{}", " ---: |".repeat(head.len() - 1));
    for row in rows {
        println!("| {} |", row.join(" | "));
    }
    println!();
}

/// A time in milliseconds, with as many digits as mean something.
pub(crate) fn time(milliseconds: f64) -> String {
    match milliseconds {
        ms if ms.is_nan() => "-".to_owned(),
        ms if ms >= 100.0 => grouped(ms.round() as i64),
        ms if ms >= 10.0 => format!("{ms:.1}"),
        ms if ms >= 0.1 => format!("{ms:.2}"),
        ms => format!("{ms:.4}"),
    }
}

/// 1234567 as `1,234,567`.
pub(crate) fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}
