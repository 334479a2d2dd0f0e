//! Tables without lines, whose columns stay straight with wide characters and fit a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands between two columns.
const GAP: &str = "  ";
/// A column is not cut below this width, in cells of a terminal, nor below its title.
const LEAST: usize = 8;

/// How a column is aligned, and what may go where there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Never cut.
    Text,
    /// Aligned to the right, never cut.
    Number,
    /// Its beginning says most.
    Name,
    /// Its end says most.
    Path,
}

/// The lines of a table; the first is its head. Without a width nothing is cut. A column that is empty, head and all,
/// is left out.
pub(crate) fn render(head: &[(&str, Column)], rows: &[Vec<String>], width: Option<usize>) -> Vec<String> {
    let titles: Vec<String> = head.iter().map(|(title, _)| (*title).to_owned()).collect();
    let mut widths: Vec<usize> = titles.iter().map(|title| title.width()).collect();
    for row in rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = cell.width().max(*most);
        }
    }
    if let Some(width) = width {
        shrink(&mut widths, head, width);
    }
    let line = |row: &Vec<String>| {
        let cells = row
            .iter()
            .zip(head)
            .zip(&widths)
            .filter(|(_, width)| **width > 0)
            .map(|((cell, (_, column)), width)| fit(cell, *column, *width));
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    };
    [&titles].into_iter().chain(rows).map(line).collect()
}

/// Takes from the widest column that may be cut, until the table fits or no column has more to give.
fn shrink(widths: &mut [usize], head: &[(&str, Column)], width: usize) {
    let columns = widths.iter().filter(|width| **width > 0).count();
    let gaps = GAP.len() * columns.saturating_sub(1);
    let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(width);
    while excess > 0 {
        let widest = widths
            .iter_mut()
            .zip(head)
            .filter(|(width, (title, column))| {
                **width > LEAST.max(title.width()) && matches!(column, Column::Name | Column::Path)
            })
            .max_by_key(|(width, _)| **width);
        let Some((widest, _)) = widest else { return };
        *widest -= 1;
        excess -= 1;
    }
}

fn fit(cell: &str, column: Column, width: usize) -> String {
    let cut = match column {
        _ if cell.width() <= width => cell.to_owned(),
        Column::Path => format!("…{}", suffix(cell, width - 1)),
        _ => format!("{}…", prefix(cell.chars(), width - 1)),
    };
    let blanks = " ".repeat(width.saturating_sub(cut.width()));
    match column {
        Column::Number => format!("{blanks}{cut}"),
        _ => format!("{cut}{blanks}"),
    }
}

fn suffix(text: &str, width: usize) -> String {
    let reversed = prefix(text.chars().rev(), width);
    reversed.chars().rev().collect()
}

fn prefix(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= width
        })
        .collect()
}

#[cfg(test)]
mod tests;
