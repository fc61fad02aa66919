//! The file format of schedules: text, versioned, with a checksum.
//!
//! ```text
//! raddle schedule 1
//! program transfer_keeps_the_sum
//! thread main
//! thread main.0
//! step t0 create T1 bank.rs:15
//! step a1
//! end 2 8c1d2e3f
//! ```
//! The last line has the number of steps and the CRC-32 of everything before it. The reader is total: whatever the
//! bytes are, it returns a schedule or says in which line and why not.

use super::{Schedule, Step, ThreadName};
use crate::ThreadId;
use crate::limits::{MAX_SCHEDULE_BYTES, MAX_THREADS};

/// The version that is written, and the only one that is read.
pub const FORMAT_VERSION: u32 = 1;

/// What the first line begins with; the version follows.
const BEGINNING: &str = "raddle schedule ";

/// Why a schedule could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The first line is not ours.
    #[error("it does not begin with `raddle schedule`: this is not a schedule file")]
    NotASchedule,
    /// Written by a version that this one does not know.
    #[error(
        "it has format version {found}, this version of raddle reads version {FORMAT_VERSION}: record the finding again"
    )]
    OtherVersion {
        /// The version in the file.
        found: String,
    },
    /// The last line is missing.
    #[error("it ends without its `end` line: the file was cut off, record the finding again")]
    Truncated,
    /// It begins as ours do, and is not text.
    #[error("it is not UTF-8: the file was changed or damaged, record the finding again")]
    NotText,
    /// The checksum is wrong.
    #[error("its checksum does not match: the file was changed or damaged, record the finding again")]
    Checksum,
    /// A line makes no sense.
    #[error("line {line}: {what}")]
    Line {
        /// Which line, counted from one.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The file is too large.
    #[error("it is larger than {MAX_SCHEDULE_BYTES} bytes")]
    TooLarge,
}

impl Schedule {
    /// The schedule as the text of a file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{BEGINNING}{FORMAT_VERSION}\nprogram {}\n", one_line(&self.program));
        for name in &self.threads {
            text.push_str(&format!("thread {name}\n"));
        }
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Step::Thread(thread) => text.push_str(&format!("step t{}", thread.index())),
                Step::Alternative(number) => text.push_str(&format!("step a{number}")),
            }
            if let Some(note) = self.notes.get(index).filter(|note| !note.is_empty()) {
                text.push(' ');
                text.push_str(&one_line(note));
            }
            text.push('\n');
        }
        let checksum = crc32fast::hash(text.as_bytes());
        text.push_str(&format!("end {} {checksum:08x}\n", self.steps.len()));
        text
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// If the bytes are not exactly what [`Schedule::to_text`] of this version writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Schedule, ReadError> {
        if bytes.len() > MAX_SCHEDULE_BYTES {
            return Err(ReadError::TooLarge);
        }
        if !bytes.starts_with(BEGINNING.as_bytes()) {
            return Err(ReadError::NotASchedule);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ReadError::NotText)?;
        let version = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix(BEGINNING))
            .ok_or(ReadError::NotASchedule)?;
        if version != FORMAT_VERSION.to_string() {
            return Err(ReadError::OtherVersion { found: version.chars().take(20).collect() });
        }
        let body_length = check_end(text)?;
        read_body(&text[..body_length])
    }
}

/// Checks the last line and returns where it starts.
fn check_end(text: &str) -> Result<usize, ReadError> {
    let trimmed = text.strip_suffix('\n').ok_or(ReadError::Truncated)?;
    let start = trimmed.rfind('\n').map_or(0, |at| at + 1);
    let rest = trimmed[start..].strip_prefix("end ").ok_or(ReadError::Truncated)?;
    let (count, checksum) = rest.split_once(' ').ok_or(ReadError::Truncated)?;
    if format!("{:08x}", crc32fast::hash(&text.as_bytes()[..start])) != checksum {
        return Err(ReadError::Checksum);
    }
    let steps = text[..start].lines().filter(|line| line.starts_with("step ")).count();
    if count != steps.to_string() { Err(ReadError::Checksum) } else { Ok(start) }
}

fn read_body(body: &str) -> Result<Schedule, ReadError> {
    let mut schedule = Schedule::default();
    for (index, line) in body.lines().enumerate().skip(1) {
        let bad = |what: &str| ReadError::Line { line: index + 1, what: what.to_owned() };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "program" => schedule.program = rest.to_owned(),
            "thread" => {
                if schedule.threads.len() >= MAX_THREADS {
                    return Err(bad("more threads than raddle can tell apart"));
                }
                schedule.threads.push(read_name(rest).ok_or_else(|| bad("a thread is written `main.0.1`"))?);
            }
            "step" => {
                let (choice, note) = rest.split_once(' ').unwrap_or((rest, ""));
                let step = read_step(choice).ok_or_else(|| bad("a step is `t` or `a` and a number"))?;
                schedule.steps.push(step);
                schedule.notes.push(note.to_owned());
            }
            _ => return Err(bad("only `program`, `thread` and `step` lines are known")),
        }
    }
    if schedule.notes.iter().all(String::is_empty) {
        schedule.notes.clear();
    }
    Ok(schedule)
}

fn read_name(text: &str) -> Option<ThreadName> {
    let mut parts = text.split('.');
    (parts.next() == Some("main")).then_some(())?;
    parts.map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>().map(ThreadName)
}

fn read_step(text: &str) -> Option<Step> {
    if let Some(number) = text.strip_prefix('t') {
        let index: usize = number.parse().ok()?;
        (index < MAX_THREADS).then(|| Step::Thread(ThreadId::new(index)))
    } else {
        text.strip_prefix('a')?.parse().ok().map(Step::Alternative)
    }
}

/// Text of the program's may contain anything; a line of the file may not.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Schedule {
        Schedule {
            program: "bank".into(),
            threads: vec![ThreadName(vec![]), ThreadName(vec![0]), ThreadName(vec![0, 3])],
            steps: vec![Step::Thread(ThreadId::new(0)), Step::Alternative(7), Step::Thread(ThreadId::new(2))],
            notes: vec!["create T1".into(), String::new(), "lock".into()],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = sample().to_text();
        assert_eq!(Schedule::from_bytes(text.as_bytes()), Ok(sample()));
    }

    #[test]
    fn every_truncation_is_refused() {
        let text = sample().to_text();
        for length in 0..text.len() {
            assert!(Schedule::from_bytes(&text.as_bytes()[..length]).is_err(), "accepted {length} bytes");
        }
    }

    #[test]
    fn every_flipped_bit_is_refused() {
        let text = sample().to_text();
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                assert!(Schedule::from_bytes(&bytes).is_err(), "accepted a flip of bit {bit} in byte {at}");
            }
        }
    }

    #[test]
    fn another_version_is_named() {
        let text = sample().to_text().replacen("schedule 1", "schedule 99", 1);
        assert_eq!(
            Schedule::from_bytes(text.as_bytes()),
            Err(ReadError::OtherVersion { found: "99".into() })
        );
    }

    #[test]
    fn a_bad_line_is_named_by_its_number() {
        let mut text = String::from("raddle schedule 1\nprogram x\nstep q\n");
        let checksum = crc32fast::hash(text.as_bytes());
        text.push_str(&format!("end 1 {checksum:08x}\n"));
        let error = Schedule::from_bytes(text.as_bytes()).expect_err("`step q` is not a step");
        assert_eq!(error.to_string(), "line 3: a step is `t` or `a` and a number");
    }
}
