//! The rows of a comparison as a table and as CSV.

use std::collections::BTreeSet;

use raddle_report::{grouped, megabytes, percent, seconds};

use super::Row;

const COLUMNS: usize = 9;

const HEADS: [&str; COLUMNS] =
    ["strategy", "runs", "traces", "redundant", "first finding", "found", "wall", "memory", "covers"];

/// In a table that would be wider, the columns stand closer together.
const WIDEST: usize = 100;

/// A table for people, one per program.
pub(super) fn human(rows: &[Row], unicode: bool) -> String {
    let mut text = String::new();
    let mut program = None;
    let cells: Vec<[String; COLUMNS]> = rows.iter().map(|row| row.cells(unicode)).collect();
    let width = |column: usize| {
        let widths = cells.iter().map(|cells| cells[column].chars().count());
        widths.chain([HEADS[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    let all: usize = widths.iter().map(|width| width + 2).sum();
    let gap = if all > WIDEST { " " } else { "  " };
    for (row, cells) in rows.iter().zip(&cells) {
        if program != Some(&row.program) {
            program = Some(&row.program);
            text.push_str(&format!("\n  {}\n\n", row.program));
            text.push_str(&line(&HEADS.map(str::to_owned), &widths, gap));
            let rule = if unicode { "─" } else { "-" };
            let rules: Vec<String> = widths.iter().map(|width| rule.repeat(*width)).collect();
            text.push_str(&format!("  {}\n", rules.join(gap)));
        }
        text.push_str(&line(cells, &widths, gap));
    }
    let programs: BTreeSet<&str> = rows.iter().map(|row| row.program.as_str()).collect();
    for program in programs {
        text.push_str(&agreement(rows, program));
    }
    text
}

/// Whether those that ran every trace have run as many.
fn agreement(rows: &[Row], program: &str) -> String {
    let of_program = rows.iter().filter(|row| row.program == program && row.ran_every_trace);
    let counts: Vec<(&str, u64)> =
        of_program.filter_map(|row| Some((row.strategy.as_str(), row.traces?.1))).collect();
    let Some((_, first)) = counts.first().filter(|_| counts.len() > 1) else { return String::new() };
    if counts.iter().all(|(_, count)| count == first) {
        return format!("\n  {program}: the exhaustive strategies agree on all {} traces\n", grouped(*first));
    }
    let each: Vec<String> =
        counts.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
    format!(
        "\n  {program}: the exhaustive strategies DISAGREE on the number of traces: {}\n",
        each.join(", ")
    )
}

fn line(cells: &[String; COLUMNS], widths: &[usize], gap: &str) -> String {
    let last = cells.len() - 1;
    let cell = |(column, text): (usize, &String)| {
        let room = " ".repeat(widths[column].saturating_sub(text.chars().count()));
        // Words stand at the left, numbers at the right.
        if column == 0 || column == last { format!("{text}{room}") } else { format!("{room}{text}") }
    };
    let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
    format!("  {}\n", cells.join(gap).trim_end())
}

impl Row {
    fn cells(&self, unicode: bool) -> [String; COLUMNS] {
        let none = if unicode { "–" } else { "-" };
        let dash = none;
        let range = |low: u64, high: u64| {
            if low == high { grouped(low) } else { format!("{}{dash}{}", grouped(low), grouped(high)) }
        };
        let name = match self.seeds {
            1 => self.strategy.clone(),
            seeds => format!("{}, {seeds} seeds", self.strategy),
        };
        // How many of the runs, those cut short included, showed what others had shown; of several seeds nobody knows.
        let all = self.runs + self.blocked;
        let redundant = self
            .traces
            .filter(|_| self.seeds == 1 && all > 0)
            .map(|(traces, _)| percent(all.saturating_sub(traces) as f64 / all as f64));
        let found = range(self.findings.0, self.findings.1);
        [
            name,
            grouped(self.runs),
            self.traces.map_or(none.to_owned(), |(low, high)| range(low, high)),
            redundant.unwrap_or_else(|| none.to_owned()),
            self.first_finding.map_or(none.to_owned(), |(low, high)| format!("run {}", range(low, high))),
            format!("{found} of {}", self.all_findings),
            seconds(self.seconds),
            self.memory.map_or(none.to_owned(), megabytes),
            self.covers.clone(),
        ]
    }
}

/// One line per row, for other programs.
pub(super) fn csv(rows: &[Row]) -> String {
    let mut text = "program,strategy,seeds,verdict,runs,blocked,traces_min,traces_max,first_finding_min,first_finding_max,\
                    findings_min,findings_max,all_findings,seconds,memory_bytes,covers\n"
        .to_owned();
    for row in rows {
        let both = |range: Option<(u64, u64)>| {
            range.map_or((String::new(), String::new()), |(low, high)| (low.to_string(), high.to_string()))
        };
        let ((low, high), (least, most)) = (both(row.first_finding), both(row.traces));
        let fields = [
            quoted(&row.program),
            quoted(&row.strategy),
            row.seeds.to_string(),
            row.verdict.to_owned(),
            row.runs.to_string(),
            row.blocked.to_string(),
            least,
            most,
            low,
            high,
            row.findings.0.to_string(),
            row.findings.1.to_string(),
            row.all_findings.to_string(),
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
            traces: Some((1204, 1204)),
            first_finding: Some((58, 58)),
            findings: (2, 2),
            all_findings: 2,
            seconds: 3.31,
            memory: Some(31 << 20),
            covers: "everything".to_owned(),
            ran_every_trace: true,
            names: BTreeSet::new(),
        };
        let dpor = Row {
            strategy: "dpor-sleep".to_owned(),
            blocked: 602,
            covers: "everything".to_owned(),
            ..row.clone()
        };
        let random = Row {
            strategy: "random".to_owned(),
            seeds: 5,
            traces: Some((702, 731)),
            first_finding: Some((24, 310)),
            findings: (1, 2),
            memory: None,
            covers: "a sample".to_owned(),
            ran_every_trace: false,
            ..row.clone()
        };
        vec![row, dpor, random]
    }

    #[test]
    fn the_table_has_a_line_for_each_strategy() {
        let expected = "
  a, b.c

  strategy          runs   traces  redundant  first finding     found   wall  memory  covers
  ---------------  -----  -------  ---------  -------------  --------  -----  ------  ----------
  optimal-dpor     1,204    1,204      0.0 %         run 58    2 of 2  3.3 s   31 MB  everything
  dpor-sleep       1,204    1,204     33.3 %         run 58    2 of 2  3.3 s   31 MB  everything
  random, 5 seeds  1,204  702-731          -     run 24-310  1-2 of 2  3.3 s       -  a sample

  a, b.c: the exhaustive strategies agree on all 1,204 traces
";
        assert_eq!(human(&rows(), false), expected);
    }

    #[test]
    fn a_wide_table_fits_a_hundred_columns() {
        let mut rows = rows();
        rows[0].strategy = "unfolding-stateless".to_owned();
        rows[2].runs = 2_408_594;
        rows[2].seconds = 101.0;
        let text = human(&rows, true);
        assert!(text.lines().all(|line| line.chars().count() <= WIDEST), "{text}");
    }

    #[test]
    fn names_with_commas_are_quoted_for_other_programs() {
        let text = csv(&rows());
        let line = text.lines().nth(1).expect("a line for the first row");
        assert_eq!(
            line,
            "\"a, b.c\",optimal-dpor,1,failed,1204,0,1204,1204,58,58,2,2,2,3.310000,32505856,everything"
        );
    }
}
