//! Plain tables: a header, a rule, rows.

use crate::style::Symbols;
use crate::text::{clip, pad, width};

/// Between two columns.
pub(crate) const GAP: usize = 2;
/// A column is never made narrower than this.
const NARROW: usize = 8;

/// The lines of a table that is at most `columns` wide.
pub(crate) fn grid(header: &[&str], rows: &[Vec<String>], columns: usize, symbols: &Symbols) -> Vec<String> {
    let mut widths: Vec<usize> = header.iter().map(|title| width(title)).collect();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            widths[column] = widths[column].max(width(cell));
        }
    }
    shrink(&mut widths, columns.saturating_sub(GAP * header.len()), NARROW);
    let titles: Vec<String> = header.iter().map(|title| (*title).to_owned()).collect();
    let rules: Vec<String> = widths.iter().map(|width| symbols.rule.to_string().repeat(*width)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, width)| format!("  {}", pad(&clip(cell, *width, symbols.cut), *width)));
        cells.collect::<String>().trim_end().to_owned()
    };
    [titles, rules].iter().chain(rows).map(line).collect()
}

/// Makes the widest columns narrower until all of them together fit into `room`, or none can give any more.
pub(crate) fn shrink(widths: &mut [usize], room: usize, narrowest: usize) {
    while widths.iter().sum::<usize>() > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > narrowest => *widest -= 1,
            _ => return,
        }
    }
}
