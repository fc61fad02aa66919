//! What a cell's process tells its parent, as one line of JSON.
//!
//! Written and read by hand: five fields between two halves of the same program need no library.

/// The outcome of one cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// How often the program's body was started.
    pub runs: u64,
    /// Whether the tester finished its search; if not, a cap stopped it.
    pub exhausted: bool,
    /// Wall-clock time of the search.
    pub seconds: f64,
    /// CPU time of the search, of all threads of the process.
    pub cpu_seconds: f64,
    /// The most memory that was resident at once, of the whole process.
    pub peak_kib: u64,
    /// Why there is no result, in a few words.
    pub error: Option<String>,
}

impl Answer {
    /// An answer for a cell that came to nothing.
    pub fn failed(error: impl Into<String>) -> Self {
        Answer {
            runs: 0,
            exhausted: false,
            seconds: 0.0,
            cpu_seconds: 0.0,
            peak_kib: 0,
            error: Some(error.into()),
        }
    }

    /// Runs per CPU second: other work on the machine disturbs it less than the wall clock.
    pub fn rate(&self) -> f64 {
        // Below the clock's useful resolution a rate would be an invention.
        if self.cpu_seconds < 1e-6 { 0.0 } else { self.runs as f64 / self.cpu_seconds }
    }

    /// One line of JSON. The error stands last, so that the reader needs to look for one quote only.
    pub fn to_json(&self) -> String {
        let error = match &self.error {
            Some(text) => format!("\"{}\"", plain(text)),
            None => "null".to_owned(),
        };
        format!(
            "{{\"runs\":{},\"exhausted\":{},\"seconds\":{:.6},\"cpu_seconds\":{:.6},\"peak_kib\":{},\"error\":{error}}}",
            self.runs, self.exhausted, self.seconds, self.cpu_seconds, self.peak_kib
        )
    }

    /// Reads what [`Answer::to_json`] wrote; `None` for anything else.
    pub fn from_json(line: &str) -> Option<Self> {
        let error = field(line, "error")?;
        Some(Answer {
            runs: field(line, "runs")?.parse().ok()?,
            exhausted: field(line, "exhausted")?.parse().ok()?,
            seconds: field(line, "seconds")?.parse().ok()?,
            cpu_seconds: field(line, "cpu_seconds")?.parse().ok()?,
            peak_kib: field(line, "peak_kib")?.parse().ok()?,
            error: (error != "null").then(|| error.to_owned()),
        })
    }
}

/// `text` without the characters that JSON or a table's cell would have to escape, and cut to a short phrase.
fn plain(text: &str) -> String {
    const LONGEST: usize = 60;
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain: String = words
        .join(" ")
        .chars()
        .map(|c| match c {
            '"' | '`' => '\'',
            '\\' | '|' => '/',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    match plain.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", plain[..end].trim_end()),
        None => plain,
    }
}

/// The text of a field: between the quotes for a string, up to the next `,` or `}` for anything else.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let key = format!("\"{name}\":");
    let value = &line[line.find(&key)? + key.len()..];
    match value.strip_prefix('"') {
        Some(text) => text.split_once('"').map(|(text, _)| text),
        None => value.split([',', '}']).next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Answer {
        Answer { runs: 3432, exhausted: true, seconds: 0.25, cpu_seconds: 0.125, peak_kib: 4096, error: None }
    }

    #[test]
    fn an_answer_survives_the_pipe() {
        assert_eq!(Answer::from_json(&answer().to_json()), Some(answer()));
    }

    #[test]
    fn an_error_survives_the_pipe_without_what_would_need_an_escape() {
        let sent = Answer { error: Some("a \"b\"\n| c, {d}".to_owned()), ..answer() };
        let received = Answer { error: Some("a 'b' / c, {d}".to_owned()), ..answer() };
        assert_eq!(Answer::from_json(&sent.to_json()), Some(received));
    }

    #[test]
    fn a_long_error_is_cut() {
        let sent = Answer::failed("é".repeat(200)).to_json();
        let received = Answer::from_json(&sent).and_then(|answer| answer.error).unwrap();
        assert_eq!(received, format!("{}…", "é".repeat(60)));
    }

    #[test]
    fn anything_else_is_no_answer() {
        assert_eq!(Answer::from_json("thread panicked"), None);
        assert_eq!(Answer::from_json("{\"runs\":1}"), None);
    }
}
