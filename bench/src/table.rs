//! The table and the ratios, as text.

use crate::answer::Answer;
use crate::arguments::Format;
use crate::cell::Tester;
use crate::format::{dash, duration, grouped};
use crate::models::Model;
use std::fmt::Write;

/// One program's answers, one per tester.
pub struct Row {
    /// The program.
    pub model: &'static Model,
    /// What each tester made of it.
    pub answers: Vec<(Tester, Answer)>,
}

impl Row {
    /// The tester's answer, unless it was not asked or came to nothing.
    fn result(&self, tester: Tester) -> Option<&Answer> {
        let (_, answer) = self.answers.iter().find(|(other, _)| *other == tester)?;
        answer.error.is_none().then_some(answer)
    }
}

/// The whole output.
pub fn write(rows: &[Row], format: Format) -> String {
    match format {
        Format::Markdown => markdown(rows),
        Format::Csv => csv(rows),
    }
}

fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(
        "Runs to exhaustion, or `> n` where a cap stopped the search after n. Runs a second are per CPU second.\n\n\
         | program | tester | runs | runs/s | seconds | CPU s | peak MiB |\n\
         |---|---|---:|---:|---:|---:|---:|\n",
    );
    for row in rows {
        for (tester, answer) in &row.answers {
            let _ =
                writeln!(out, "| {} | {} | {} |", row.model.title, tester.name(), cells(answer).join(" | "));
        }
    }
    out.push_str(&ratios(rows));
    out
}

/// An error keeps what was measured until then: after how many runs a tester gave up is worth knowing.
fn cells(answer: &Answer) -> [String; 5] {
    let runs = match &answer.error {
        Some(error) if answer.runs == 0 => {
            return [format!("error: {error}"), dash(), dash(), dash(), dash()];
        }
        Some(error) => format!("error in run {}: {error}", grouped(answer.runs)),
        None if answer.exhausted => grouped(answer.runs),
        None => format!("> {}", grouped(answer.runs)),
    };
    [
        runs,
        if answer.error.is_some() { dash() } else { grouped(answer.rate().round() as u64) },
        duration(answer.seconds),
        duration(answer.cpu_seconds),
        format!("{:.1}", answer.peak_kib as f64 / 1024.0),
    ]
}

fn csv(rows: &[Row]) -> String {
    let mut out = String::from(
        "program,tester,runs,exhausted,runs_per_cpu_second,seconds,cpu_seconds,peak_kib,error\n",
    );
    for row in rows {
        for (tester, answer) in &row.answers {
            let _ = writeln!(
                out,
                "{},{},{},{},{:.0},{:.6},{:.6},{},\"{}\"",
                row.model.name,
                tester.name(),
                answer.runs,
                answer.exhausted,
                answer.rate(),
                answer.seconds,
                answer.cpu_seconds,
                answer.peak_kib,
                answer.error.as_deref().unwrap_or_default(),
            );
        }
    }
    out
}

/// How Raddle compares with the others, a line per program; nothing in a build without Raddle.
fn ratios(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        let parts = [rate_ratio(row, Tester::Loom), rate_ratio(row, Tester::Shuttle), time_ratio(row)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            let _ = writeln!(out, "- {}: {}", row.model.title, parts.join("; "));
        }
    }
    if out.is_empty() { out } else { format!("\nRatios\n\n{out}") }
}

/// Raddle's rate over a peer's, both making every run they know of.
fn rate_ratio(row: &Row, peer: Tester) -> Option<String> {
    let (ours, theirs) = (row.result(Tester::RaddleEvery)?.rate(), row.result(peer)?.rate());
    (theirs > 0.0).then(|| format!("`every` makes {:.1} × {}'s runs/s", ours / theirs, peer.name()))
}

/// Raddle's CPU time to exhaustion over that of the peer that was done first. A peer that was stopped would have
/// taken longer, so its time gives a bound only; so does Raddle's own.
fn time_ratio(row: &Row) -> Option<String> {
    let ours = row.result(Tester::RaddleOptimal)?;
    let peers = [Tester::Loom, Tester::Shuttle].into_iter().filter_map(|peer| row.result(peer));
    let best = peers.min_by(|a, b| a.cpu_seconds.total_cmp(&b.cpu_seconds))?;
    let bound = match (ours.exhausted, best.exhausted) {
        (true, true) => "",
        (true, false) => "below ",
        (false, true) => "above ",
        (false, false) => return None,
    };
    let ratio = ours.cpu_seconds / best.cpu_seconds;
    Some(format!("`optimal-dpor` takes {bound}{ratio:.6} of the better peer's time"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::MODELS;

    fn answer(runs: u64, exhausted: bool, cpu_seconds: f64) -> Answer {
        Answer { runs, exhausted, seconds: cpu_seconds, cpu_seconds, peak_kib: 2048, error: None }
    }

    fn row(answers: Vec<(Tester, Answer)>) -> Row {
        Row { model: &MODELS[0], answers }
    }

    #[test]
    fn a_capped_cell_is_marked() {
        assert_eq!(cells(&answer(1_500, false, 2.0)), ["> 1,500", "750", "2.000", "2.000", "2.0"]);
    }

    #[test]
    fn an_error_shows_the_run_it_came_in() {
        let failed = Answer { error: Some("lost".to_owned()), ..answer(7, false, 1.0) };
        assert_eq!(cells(&failed)[..2], ["error in run 7: lost", "–"]);
        assert_eq!(cells(&Answer::failed("died"))[..2], ["error: died", "–"]);
    }

    #[test]
    fn ratios_say_when_they_are_bounds() {
        let row = row(vec![
            (Tester::Loom, answer(100, false, 10.0)),
            (Tester::Shuttle, Answer::failed("died")),
            (Tester::RaddleEvery, answer(100, true, 0.1)),
            (Tester::RaddleOptimal, answer(10, true, 0.01)),
        ]);
        let parts = "`every` makes 100.0 × loom's runs/s; `optimal-dpor` takes below 0.001000 of the better peer's time";
        assert_eq!(ratios(&[row]), format!("\nRatios\n\n- {}: {parts}\n", MODELS[0].title));
    }
}
