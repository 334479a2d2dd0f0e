//! Tables without lines that fit a terminal.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Words that stay on one line.
    Text,
    /// Numbers, aligned to the right.
    Number,
    /// Names and paths, which go on in the next line where there is no room.
    Long,
}

/// The lines of a table; the first is its head. Without a width nothing is broken.
pub(crate) fn render(head: &[(&str, Column)], rows: Vec<Vec<String>>, width: Option<usize>) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(head.iter().map(|(title, _)| *title)).add_rows(rows);
    if let Some(width) = width {
        let width = u16::try_from(width).unwrap_or(u16::MAX);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    for (column, (_, kind)) in table.column_iter_mut().zip(head) {
        column.set_padding((0, 2));
        if *kind == Column::Number {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if *kind != Column::Long {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests;
