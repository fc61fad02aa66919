//! The rows of a comparison as a table and as CSV.

use raddle_report::grouped;

use super::Row;

const HEADS: [&str; 8] =
    ["strategy", "runs", "cut short", "first finding", "found", "wall", "memory", "covers"];

/// A table for people, one per program.
pub(super) fn human(rows: &[Row], unicode: bool) -> String {
    let mut text = String::new();
    let mut program = None;
    let cells: Vec<[String; 8]> = rows.iter().map(|row| row.cells(unicode)).collect();
    let width = |column: usize| {
        let widths = cells.iter().map(|cells| cells[column].chars().count());
        widths.chain([HEADS[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    for (row, cells) in rows.iter().zip(&cells) {
        if program != Some(&row.program) {
            program = Some(&row.program);
            text.push_str(&format!("\n  {}\n\n", row.program));
            text.push_str(&line(&HEADS.map(str::to_owned), &widths));
            let rule = if unicode { "─" } else { "-" };
            let rules: Vec<String> = widths.iter().map(|width| rule.repeat(*width)).collect();
            text.push_str(&format!("  {}\n", rules.join("  ")));
        }
        text.push_str(&line(cells, &widths));
    }
    text
}

fn line(cells: &[String; 8], widths: &[usize]) -> String {
    let last = cells.len() - 1;
    let cell = |(column, text): (usize, &String)| {
        let room = " ".repeat(widths[column].saturating_sub(text.chars().count()));
        // Words stand at the left, numbers at the right.
        if column == 0 || column == last { format!("{text}{room}") } else { format!("{room}{text}") }
    };
    let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
    format!("  {}\n", cells.join("  ").trim_end())
}

impl Row {
    fn cells(&self, unicode: bool) -> [String; 8] {
        let none = if unicode { "–" } else { "-" };
        let dash = none;
        let range = |low: u64, high: u64| {
            if low == high { grouped(low) } else { format!("{}{dash}{}", grouped(low), grouped(high)) }
        };
        let all = self.runs + self.blocked;
        let name = match self.seeds {
            1 => self.strategy.clone(),
            seeds => format!("{}, {seeds} seeds", self.strategy),
        };
        [
            name,
            grouped(self.runs),
            format!("{:.1} %", self.blocked as f64 * 100.0 / all.max(1) as f64),
            self.first_finding.map_or(none.to_owned(), |(low, high)| format!("run {}", range(low, high))),
            range(self.findings.0 as u64, self.findings.1 as u64),
            format!("{:.2} s", self.seconds),
            self.memory.map_or(none.to_owned(), |bytes| format!("{} MB", bytes >> 20)),
            self.covers.clone(),
        ]
    }
}

/// One line per row, for other programs.
pub(super) fn csv(rows: &[Row]) -> String {
    let mut text = "program,strategy,seeds,verdict,runs,blocked,first_finding_min,first_finding_max,\
                    findings_min,findings_max,seconds,memory_bytes,covers\n"
        .to_owned();
    for row in rows {
        let (low, high) = row
            .first_finding
            .map_or((String::new(), String::new()), |(low, high)| (low.to_string(), high.to_string()));
        let fields = [
            quoted(&row.program),
            quoted(&row.strategy),
            row.seeds.to_string(),
            row.verdict.to_owned(),
            row.runs.to_string(),
            row.blocked.to_string(),
            low,
            high,
            row.findings.0.to_string(),
            row.findings.1.to_string(),
            format!("{:.6}", row.seconds),
            row.memory.map_or_else(String::new, |bytes| bytes.to_string()),
            quoted(&row.covers),
        ];
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

/// A field that may contain anything (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let row = Row {
            program: "a, b.c".to_owned(),
            strategy: "optimal-dpor".to_owned(),
            seeds: 1,
            verdict: "failed",
            runs: 1204,
            blocked: 0,
            first_finding: Some((58, 58)),
            findings: (2, 2),
            seconds: 3.31,
            memory: Some(31 << 20),
            covers: "everything".to_owned(),
        };
        let random = Row {
            strategy: "random".to_owned(),
            seeds: 5,
            blocked: 602,
            first_finding: Some((24, 310)),
            findings: (1, 2),
            memory: None,
            covers: "a sample".to_owned(),
            ..row.clone()
        };
        vec![row, random]
    }

    #[test]
    fn the_table_has_a_line_for_each_strategy() {
        let expected = "
  a, b.c

  strategy          runs  cut short  first finding  found    wall  memory  covers
  ---------------  -----  ---------  -------------  -----  ------  ------  ----------
  optimal-dpor     1,204      0.0 %         run 58      2  3.31 s   31 MB  everything
  random, 5 seeds  1,204     33.3 %     run 24-310    1-2  3.31 s       -  a sample
";
        assert_eq!(human(&rows(), false), expected);
    }

    #[test]
    fn names_with_commas_are_quoted_for_other_programs() {
        let text = csv(&rows());
        let line = text.lines().nth(1).expect("a line for the first row");
        assert_eq!(line, "\"a, b.c\",optimal-dpor,1,failed,1204,0,58,58,2,2,3.310000,32505856,everything");
    }
}
