//! One cell of the table: a program, searched by one strategy, in a process of its own.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use raddle::{Check, Strategy};

use crate::format::{dash, duration, grouped};
use crate::{Language, ROWS, Row, Task};

/// How much longer than its limit a cell may take.
const GRACE: Duration = Duration::from_secs(5);

/// A column: a strategy, and whether cells are matched by value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// `unfolding-stateless`.
    Stateless,
    /// `optimal-dpor`.
    OptimalDpor,
    /// `stateful-naive`.
    StatefulNaive,
    /// `unfolding`.
    Unfolding,
    /// `unfolding --match values`.
    MatchValues,
}

impl Column {
    /// All columns, in the paper's order.
    pub const ALL: [Column; 5] = [
        Column::Stateless,
        Column::OptimalDpor,
        Column::StatefulNaive,
        Column::Unfolding,
        Column::MatchValues,
    ];

    fn strategy(self) -> Strategy {
        match self {
            Column::Stateless => Strategy::UnfoldingStateless,
            Column::OptimalDpor => Strategy::OptimalDpor,
            Column::StatefulNaive => Strategy::StatefulNaive,
            Column::Unfolding | Column::MatchValues => Strategy::Unfolding,
        }
    }

    /// What the table calls it.
    pub fn title(self) -> &'static str {
        match self {
            Column::MatchValues => "unfolding --match values",
            column => column.strategy().as_str(),
        }
    }

    /// How long its cells may take. The two columns that blow up on nearly every row are not what the table is about, and
    /// get a sixth of the time.
    fn limit(self, limit: Duration) -> Duration {
        match self {
            Column::Stateless | Column::StatefulNaive => (limit / 6).max(Duration::from_secs(1)),
            Column::OptimalDpor | Column::Unfolding | Column::MatchValues => limit,
        }
    }

    fn builds_model(self) -> bool {
        self != Column::OptimalDpor
    }
}

/// What came out of a cell.
pub struct Answer {
    column: Column,
    json: String,
    /// CPU seconds.
    pub seconds: f64,
    megabytes: u64,
}

impl Answer {
    /// Whether the search came to its end.
    pub fn ended(&self) -> bool {
        let verdict = |word: &str| self.json.contains(&format!("\"verdict\": \"{word}\""));
        verdict("exhausted") || (verdict("sampled") && self.column.builds_model())
    }

    /// The number behind a key of the document; keys of this kind stand in it once.
    pub fn size(&self, key: &str) -> Option<u64> {
        let rest = self.json.split(&format!("\"{key}\":")).nth(1)?.trim_start();
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse().ok()
    }

    /// As the table shows it.
    pub fn shown(&self) -> String {
        let Some(runs) = self.size("runs") else {
            return "died".to_owned();
        };
        let cost = format!("{} s, {} MB", duration(self.seconds), self.megabytes);
        let beyond = self.column.builds_model() && self.size("places").is_none();
        match (self.ended(), beyond) {
            (true, false) => format!("{} ({cost})", grouped(runs)),
            (false, false) => format!("stopped ({cost})"),
            (_, true) => format!("{}: no model ({cost})", dash()),
        }
    }
}

/// All cells of a row.
pub fn all(task: &Task, language: Language, row: &Row, scratch: &Path) -> Vec<Answer> {
    let binary = scratch.join("program");
    if language == Language::C
        && let Err(problem) = compile(task, row, &binary)
    {
        eprintln!("{}: {problem}", row.title);
    }
    let cells = Column::ALL.iter().map(|&column| {
        let mut command = match language {
            Language::Rust => in_rust(task, row, column),
            Language::C => in_c(task, &binary, column),
        };
        command.current_dir(scratch);
        let answer = answer(command, column, column.limit(task.limit) + GRACE);
        eprintln!("{language:?}, {}, {}: {}", row.title, column.title(), answer.shown());
        answer
    });
    cells.collect()
}

fn in_rust(task: &Task, row: &Row, column: Column) -> Command {
    let own = std::env::current_exe().unwrap_or_default();
    let mut command = Command::new(own);
    command.args(["--cell", row.title, column.title(), &column.limit(task.limit).as_secs().to_string()]);
    command
}

fn in_c(task: &Task, binary: &Path, column: Column) -> Command {
    let mut command = Command::new(&task.raddle);
    command.arg("check").arg(binary).args(["--format", "json", "--progress", "none", "--strategy"]);
    command
        .arg(column.strategy().as_str())
        .arg("--max-time")
        .arg(format!("{}s", column.limit(task.limit).as_secs()));
    if column == Column::MatchValues {
        command.args(["--match", "values"]);
    }
    command
}

fn compile(task: &Task, row: &Row, binary: &Path) -> Result<(), String> {
    let (file, defines) = row.c;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/models").join(file);
    let mut command = Command::new(&task.raddle);
    command.args(["cc", "-O1", "-pthread"]).arg(source).arg("-o").arg(binary);
    command.args(defines.iter().map(|define| format!("-D{define}")));
    let status = command.status().map_err(|error| error.to_string())?;
    status.success().then_some(()).ok_or_else(|| format!("raddle cc: {status}"))
}

/// The cell itself, in its own process.
pub fn run_here(row: &str, column: &str, limit: &str) -> ExitCode {
    let row = ROWS.iter().find(|known| known.title == row);
    let column = Column::ALL.into_iter().find(|known| known.title() == column);
    let (Some(row), Some(column), Ok(limit)) = (row, column, limit.parse()) else {
        eprintln!("models: there is no such cell");
        return ExitCode::from(2);
    };
    let report = Check::new()
        .strategy(column.strategy())
        .match_values(column == Column::MatchValues)
        .max_time(Duration::from_secs(limit))
        .run(row.rust);
    println!("{}", report.json());
    ExitCode::SUCCESS
}

/// Runs a command to its end, or ends it.
fn answer(mut command: Command, column: Column, most: Duration) -> Answer {
    let nothing = |json: String| Answer { column, json, seconds: 0.0, megabytes: 0 };
    // Settings from outside would make one measurement differ from the next.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("RADDLE_") {
            command.env_remove(&name);
        }
    }
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = spawned else {
        return nothing(String::new());
    };
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        // What cannot be read is an answer that is not there.
        let _ = output.map(|mut output| output.read_to_string(&mut text));
        text
    });
    let (seconds, megabytes) = wait(&mut child, most);
    let json = reader.join().unwrap_or_default();
    Answer { column, json, seconds, megabytes }
}

/// CPU seconds and the most memory of a process and of everything that it waited for.
fn wait(child: &mut Child, most: Duration) -> (f64, u64) {
    let start = Instant::now();
    // SAFETY: all zeroes is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let mut status = 0;
    loop {
        // SAFETY: the process is our child and has not been waited for; both places are valid to write to.
        let ended = unsafe { libc::wait4(child.id() as i32, &mut status, libc::WNOHANG, &mut usage) };
        if ended != 0 {
            break;
        }
        if start.elapsed() > most {
            // It may have ended just now by itself, which is what is wanted.
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss as u64 / 1024)
}
