//! The rows of a comparison as a table and as CSV.

use raddle_report::{Style, grouped, megabytes, percent, seconds, wrapped};

use super::Row;

const COLUMNS: usize = 9;

const HEADS: [&str; COLUMNS] =
    ["strategy", "runs", "traces", "redundant", "first finding", "found", "wall", "memory", "covers"];

/// What the columns mean whose heads do not say it, with the sign for what is not known.
fn legend(none: &str, columns: usize) -> String {
    let text = format!(
        "traces: different ones among the runs; redundant: runs that showed no new one; first finding: in which run; found: different \
         findings, of those of all strategies; {none}: nothing to count, or not measured"
    );
    indented(&text, columns)
}

/// Lines of at most so many columns, all of them indented as the table is.
fn indented(text: &str, columns: usize) -> String {
    let text = wrapped(text, columns.saturating_sub(2));
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// A table for people, one per program. Columns that do not fit beside the others go into a second part below.
pub(super) fn human(rows: &[Row], style: &Style) -> String {
    let unicode = style.unicode;
    let cells: Vec<[String; COLUMNS]> = rows.iter().map(|row| row.cells(unicode)).collect();
    let width = |column: usize| {
        let widths = cells.iter().map(|cells| cells[column].chars().count());
        widths.chain([HEADS[column].len()]).max().unwrap_or(0)
    };
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let all = 2 + widths.iter().sum::<usize>();
    // Columns that stand closer together are better than a table in parts; one in parts has room enough.
    let closer = all + 2 * (COLUMNS - 1) > style.width && all + (COLUMNS - 1) <= style.width;
    let gap = if closer { " " } else { "  " };
    let parts = parts(&widths, gap.len(), style.width);
    let mut text = String::new();
    for (start, program) in programs(rows) {
        text.push_str(&format!("\n  {program}\n"));
        let of_program =
            rows[start..].iter().zip(&cells[start..]).take_while(|(row, _)| row.program == program);
        for part in &parts {
            let line = |cells: &[String; COLUMNS]| line(cells, &widths, part, gap);
            let rule = if unicode { "─" } else { "-" };
            text.push_str(&format!("\n{}", line(&HEADS.map(str::to_owned))));
            text.push_str(&line(&widths.map(|width| rule.repeat(width))));
            text.extend(of_program.clone().map(|(_, cells)| line(cells)));
        }
    }
    text.push('\n');
    text.push_str(&legend(none(unicode), style.width));
    for (_, program) in programs(rows) {
        if let Some(agreement) = agreement(rows, program) {
            text.push_str(&format!("\n{}", indented(&agreement, style.width)));
        }
    }
    text
}

/// The programs, in their order, each with the number of its first row.
fn programs(rows: &[Row]) -> Vec<(usize, &str)> {
    let firsts = rows.chunk_by(|one, next| one.program == next.program).scan(0, |start, chunk| {
        let first = (*start, chunk[0].program.as_str());
        *start += chunk.len();
        Some(first)
    });
    firsts.collect()
}

/// Which columns stand beside each other. Each part begins with the strategy, and has at least one column more.
fn parts(widths: &[usize; COLUMNS], gap: usize, room: usize) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut used = usize::MAX;
    for column in 1..COLUMNS {
        let more = gap + widths[column];
        match parts.last_mut() {
            Some(part) if used + more <= room => {
                part.push(column);
                used += more;
            }
            _ => {
                parts.push(vec![0, column]);
                used = 2 + widths[0] + more;
            }
        }
    }
    parts
}

/// Whether those that ran every trace have run as many; none if there is nothing to compare.
fn agreement(rows: &[Row], program: &str) -> Option<String> {
    let of_program = rows.iter().filter(|row| row.program == program && row.ran_every_trace);
    let counts: Vec<(&str, u64)> =
        of_program.filter_map(|row| Some((row.strategy.as_str(), row.traces?.1))).collect();
    let (_, first) = counts.first().filter(|_| counts.len() > 1)?;
    if counts.iter().all(|(_, count)| count == first) {
        return Some(format!("{program}: the exhaustive strategies agree on all {} traces", grouped(*first)));
    }
    let each: Vec<String> =
        counts.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
    Some(format!(
        "{program}: the exhaustive strategies DISAGREE on the number of traces: {}",
        each.join(", ")
    ))
}

fn line(cells: &[String; COLUMNS], widths: &[usize; COLUMNS], part: &[usize], gap: &str) -> String {
    let cell = |column: &usize| {
        let text = &cells[*column];
        let room = " ".repeat(widths[*column].saturating_sub(text.chars().count()));
        // Words stand at the left, numbers at the right.
        if [0, COLUMNS - 1].contains(column) { format!("{text}{room}") } else { format!("{room}{text}") }
    };
    let cells: Vec<String> = part.iter().map(cell).collect();
    format!("  {}\n", cells.join(gap).trim_end())
}

/// What stands for a number that is not known.
fn none(unicode: bool) -> &'static str {
    if unicode { "–" } else { "-" }
}

impl Row {
    fn cells(&self, unicode: bool) -> [String; COLUMNS] {
        let none = none(unicode);
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
    use std::collections::BTreeSet;

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

  traces: different ones among the runs; redundant: runs that showed no new one; first finding: in
  which run; found: different findings, of those of all strategies; -: nothing to count, or not
  measured

  a, b.c: the exhaustive strategies agree on all 1,204 traces
";
        assert_eq!(human(&rows(), &Style::new(false, 100)), expected);
    }

    #[test]
    fn on_eighty_columns_what_does_not_fit_stands_below() {
        let expected = "
  a, b.c

  strategy          runs   traces  redundant  first finding     found   wall
  ---------------  -----  -------  ---------  -------------  --------  -----
  optimal-dpor     1,204    1,204      0.0 %         run 58    2 of 2  3.3 s
  dpor-sleep       1,204    1,204     33.3 %         run 58    2 of 2  3.3 s
  random, 5 seeds  1,204  702-731          -     run 24-310  1-2 of 2  3.3 s

  strategy         memory  covers
  ---------------  ------  ----------
  optimal-dpor      31 MB  everything
  dpor-sleep        31 MB  everything
  random, 5 seeds       -  a sample

  traces: different ones among the runs; redundant: runs that showed no new one;
  first finding: in which run; found: different findings, of those of all
  strategies; -: nothing to count, or not measured

  a, b.c: the exhaustive strategies agree on all 1,204 traces
";
        assert_eq!(human(&rows(), &Style::new(false, 80)), expected);
    }

    #[test]
    fn the_largest_numbers_fit_every_screen_and_nothing_is_left_out() {
        let mut rows = rows();
        rows[0].strategy = "unfolding-stateless".to_owned();
        rows[1].ran_every_trace = true;
        rows[1].traces = Some((1_205, 1_205));
        rows[2].runs = 2_408_594;
        rows[2].seconds = 101.0;
        rows.push(Row { program: "other.c".to_owned(), ..rows[0].clone() });
        for width in [60, 80, 100] {
            let text = human(&rows, &Style::new(true, width));
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            for head in HEADS {
                assert!(
                    text.contains(&format!("{head} ")) || text.contains(&format!("{head}\n")),
                    "{head}: {text}"
                );
            }
            assert!(text.contains("DISAGREE") && text.matches("other.c").count() == 1, "{text}");
        }
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
