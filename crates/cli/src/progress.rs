//! How far a search is: four lines that stay in their place on a terminal, a counter elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use raddle_channel::Progress;
use raddle_native::terminal::Keys;
use raddle_native::{Doing, Worker, interrupt};
use raddle_report::{count, grouped, roughly};

use crate::output::{say, say_as_is};
use crate::panics;

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Display {
    /// Four lines, drawn again and again.
    Live,
    /// A line now and then.
    Counter,
    /// Not at all.
    None,
}

impl Display {
    /// What the setting means here.
    pub(crate) fn of(word: &str) -> Display {
        match word {
            "live" => Display::Live,
            "counter" => Display::Counter,
            "none" => Display::None,
            _ if std::io::stderr().is_terminal()
                && std::env::var("TERM").is_ok_and(|term| term != "dumb") =>
            {
                Display::Live
            }
            _ => Display::Counter,
        }
    }

    /// How often something is shown. A search that ends before that is never talked about.
    fn every(self) -> Duration {
        match self {
            Display::Live => Duration::from_millis(500),
            Display::Counter => Duration::from_secs(10),
            Display::None => Duration::MAX,
        }
    }
}

/// Shows how far a search is.
pub(crate) struct Reporter {
    display: Display,
    title: String,
    unicode: bool,
    start: Instant,
    shown: Option<Instant>,
    /// What the search told last, and how many findings there were.
    last: (Progress, usize),
    /// What every worker told last.
    workers: Vec<Worker>,
    /// How many lines stand on the screen.
    drawn: usize,
    /// The keyboard, as long as there is a display that says what its keys do.
    keys: Option<Keys>,
}

/// The lines of the live display.
const LINES: usize = 4;
const BAR: usize = 24;
/// In seconds.
const A_YEAR: f64 = 3.15e7;

impl Reporter {
    /// For one search.
    pub(crate) fn new(display: Display, program: &str, strategy: &str, unicode: bool) -> Reporter {
        let now = Instant::now();
        let title = format!("{program} {} {strategy}", if unicode { "·" } else { "|" });
        Reporter {
            display,
            title,
            unicode,
            start: now,
            shown: None,
            last: (Progress::default(), 0),
            workers: Vec::new(),
            drawn: 0,
            keys: None,
        }
    }

    /// Says that something takes its time before the search begins. On a terminal it is there at once.
    pub(crate) fn begin(&mut self, what: &str) {
        if self.display == Display::Live {
            self.draw(&[format!("  {what}  {}", self.title)]);
        }
    }

    /// Takes note of how far the search is, and shows it if it is time to.
    pub(crate) fn note(&mut self, progress: &Progress, findings: usize, workers: &[Worker]) {
        self.last = (progress.clone(), findings);
        self.workers.clear();
        self.workers.extend_from_slice(workers);
        self.tick();
    }

    /// Shows how far the search is, if it is time to; the clock goes on also if the search says nothing.
    pub(crate) fn tick(&mut self) {
        if interrupt::stood_still() {
            self.drawn = 0;
        }
        self.obey();
        if interrupt::asked() {
            let (progress, findings) = self.last.clone();
            self.clear();
            say(&format!(
                "{}   {}",
                counter(&progress, findings, self.start.elapsed()),
                state(&progress, self.unicode)
            ));
            for (number, worker) in self.workers.iter().enumerate() {
                say(&doing(number + 1, worker, worker.heard.elapsed(), self.unicode));
            }
        }
        let since = self.shown.unwrap_or(self.start).elapsed();
        if since < self.display.every() {
            return;
        }
        self.shown = Some(Instant::now());
        let elapsed = self.start.elapsed();
        let (progress, findings) = self.last.clone();
        match self.display {
            Display::Live => {
                // Who is done before the first line is drawn leaves the terminal alone.
                self.keys = self.keys.take().or_else(Keys::take);
                let mood = Mood::now(self.keys.is_some());
                let lines = live(&self.title, &progress, findings, elapsed, self.unicode, mood, columns());
                self.draw(&lines);
                panics::on_purpose("progress");
            }
            Display::Counter => say(&counter(&progress, findings, elapsed)),
            Display::None => {}
        }
    }

    /// Does what the keys that were pressed say.
    fn obey(&mut self) {
        while let Some(key) = self.keys.as_ref().and_then(Keys::next) {
            match key {
                b's' => interrupt::ask_for_status(),
                b'p' => interrupt::pause(!interrupt::is_paused()),
                b'q' => interrupt::request(),
                _ => continue,
            }
            // Who presses a key wants to see at once that it was understood.
            self.shown = None;
        }
    }

    /// Draws lines over those that stand there.
    fn draw(&mut self, lines: &[String]) {
        let back = if self.drawn > 0 { format!("\x1b[{}A", self.drawn) } else { String::new() };
        let columns = columns();
        let text: String = lines.iter().map(|line| format!("\x1b[2K{}\n", fitting(line, columns))).collect();
        say_as_is(&format!("{back}{text}"));
        self.drawn = self.drawn.max(lines.len());
    }

    /// Whether something stands on the terminal that is drawn over later.
    pub(crate) fn is_drawn(&self) -> bool {
        self.drawn > 0
    }

    /// Takes the display away.
    pub(crate) fn clear(&mut self) {
        if self.drawn > 0 {
            say_as_is(&format!("\x1b[{}A\x1b[J", self.drawn));
        }
        self.drawn = 0;
    }

    /// Takes the display away for good, and gives the keyboard back.
    pub(crate) fn end(mut self) {
        self.clear();
    }
}

/// What the search is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mood {
    /// It goes on, and nobody listens to keys.
    Exploring,
    /// It goes on, and listens to keys.
    Listening,
    /// It waits.
    Paused,
    /// It was asked to stop.
    Stopping,
}

impl Mood {
    fn now(listens: bool) -> Mood {
        match () {
            () if interrupt::requested() => Mood::Stopping,
            () if interrupt::is_paused() => Mood::Paused,
            () if listens => Mood::Listening,
            () => Mood::Exploring,
        }
    }

    /// The word for it, and what can be done about it.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Mood::Exploring => ("Exploring", "Ctrl-C stops and says what was covered"),
            Mood::Listening => ("Exploring", "[s] status  [p] pause  [q] stop and save"),
            Mood::Paused => ("Paused", "[s] status  [p] go on  [q] stop and save"),
            Mood::Stopping => ("Stopping", "Ctrl-C again ends it at once, and nothing is saved"),
        }
    }
}

/// As much of the line as fits, and nothing that moves the cursor.
fn fitting(line: &str, columns: usize) -> String {
    line.chars().filter(|letter| !letter.is_control()).take(columns).collect()
}

/// What a counter line has no room for.
fn state(progress: &Progress, unicode: bool) -> String {
    let dot = if unicode { "·" } else { "|" };
    format!(
        "{} steps {dot} {} threads {dot} {} runs cut short",
        grouped(progress.steps),
        progress.threads,
        grouped(progress.blocked)
    )
}

/// A worker that has said nothing for so long is busy with something.
const SILENT: Duration = Duration::from_secs(2);

/// What a worker does.
fn doing(number: usize, worker: &Worker, silent: Duration, unicode: bool) -> String {
    let dot = if unicode { "·" } else { "|" };
    let Progress { runs, at, length, way, .. } = &worker.progress;
    let mut text = format!("         worker {number:<3} {:>12} runs", grouped(*runs));
    match worker.doing {
        Doing::Starting => text.push_str(&format!(" {dot} it starts")),
        Doing::Done => text.push_str(&format!(" {dot} idle, nothing is left for it")),
        Doing::Searching => {
            if *at > 0 {
                text.push_str(&format!(
                    " {dot} at step {} of {}",
                    grouped(*at as u64 + 1),
                    grouped(*length as u64)
                ));
                text.push_str(&format!(" after {way}"));
            } else {
                text.push_str(&format!(" {dot} the last one had {} steps", grouped(*length as u64)));
            }
            if interrupt::is_paused() {
                text.push_str(&format!(" {dot} it waits"));
            } else if silent > SILENT {
                text.push_str(&format!(" {dot} nothing new for {}", lasting(silent)));
            }
        }
    }
    text
}

fn rate(progress: &Progress, elapsed: Duration) -> u64 {
    (progress.runs as f64 / elapsed.as_secs_f64().max(0.001)) as u64
}

fn counter(progress: &Progress, findings: usize, elapsed: Duration) -> String {
    let part = match progress.estimate {
        Some(estimate) => format!(
            "{:.1} % of ~{} (+- {:.0} %)   ",
            estimate.done * 100.0,
            roughly(estimate.total_runs),
            estimate.uncertainty * 100.0
        ),
        None => String::new(),
    };
    format!(
        "[{:>4} s] {:>12} runs   {part}{}/s   {findings} findings",
        elapsed.as_secs(),
        grouped(progress.runs),
        grouped(rate(progress, elapsed))
    )
}

/// How long a line of the display may be. One that the terminal breaks would count twice, and the display would walk down the
/// screen.
fn columns() -> usize {
    let known = std::io::stdout().is_terminal();
    crate::output::style().width.saturating_sub(1).min(if known { usize::MAX } else { 79 })
}

fn live(
    title: &str,
    progress: &Progress,
    findings: usize,
    elapsed: Duration,
    unicode: bool,
    mood: Mood,
    columns: usize,
) -> [String; LINES] {
    let (word, keys) = mood.words();
    let dot = if unicode { "·" } else { "|" };
    let done = progress.estimate.map_or(0.0, |estimate| estimate.done.clamp(0.0, 1.0));
    let filled = (done * BAR as f64) as usize;
    let (full, empty) = if unicode { ("█", "░") } else { ("#", ".") };
    let part = match progress.estimate {
        Some(estimate) => format!(
            "{:>3.0} % {} {:.0}   {} of ~{} runs",
            done * 100.0,
            if unicode { "±" } else { "+-" },
            estimate.uncertainty * 100.0,
            grouped(progress.runs),
            roughly(estimate.total_runs)
        ),
        None => format!("{} runs, of how many is not known", grouped(progress.runs)),
    };
    let left = match progress.estimate {
        Some(estimate) if estimate.done > 0.0 => {
            let seconds = elapsed.as_secs_f64() * (1.0 - done) / estimate.done.max(1e-9);
            if seconds > A_YEAR {
                Some("more than a year left".to_owned())
            } else {
                Some(format!("about {} left", lasting(Duration::from_secs_f64(seconds))))
            }
        }
        _ => None,
    };
    let mut numbers =
        vec![format!("{} runs/s", grouped(rate(progress, elapsed))), count(findings as u64, "finding")];
    numbers.extend(left);
    // Where there is no room for all, those go that matter least.
    for (place, number) in [(1, count(progress.threads as u64, "thread")), (1, count(progress.steps, "step"))]
    {
        let used: usize = numbers.iter().map(|number| number.len() + 3).sum();
        if used + number.len() + 2 <= columns {
            numbers.insert(place, number);
        }
    }
    [
        format!("  {word:<9}  {}  {title}", lasting(elapsed)),
        format!("  {}{}  {part}", full.repeat(filled), empty.repeat(BAR - filled)),
        format!("  {}", numbers.join(&format!(" {dot} "))),
        format!("  {keys}"),
    ]
}

/// A time in the two largest units.
fn lasting(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} m {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} m", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_explore::Estimate;

    fn some_progress() -> Progress {
        let estimate = Estimate { done: 0.025, total_runs: 12_600_000.0, uncertainty: 0.31 };
        Progress {
            runs: 312_118,
            steps: 9_000_000,
            threads: 4,
            estimate: Some(estimate),
            ..Progress::default()
        }
    }

    #[test]
    fn a_counter_line_has_the_numbers_of_the_search() {
        assert_eq!(
            counter(&some_progress(), 0, Duration::from_secs(60)),
            "[  60 s]      312,118 runs   2.5 % of ~12,600,000 (+- 31 %)   5,201/s   0 findings"
        );
    }

    #[test]
    fn a_worker_says_where_it_is_or_that_it_has_nothing_to_do() {
        let at = Progress { at: 36, length: 44, way: "T1*3 T2*5".to_owned(), ..some_progress() };
        let worker = |doing, progress: &Progress| Worker {
            progress: progress.clone(),
            findings: 0,
            doing,
            heard: Instant::now(),
        };
        let line = |worker: &Worker, silent| doing(2, worker, Duration::from_secs(silent), true);
        let searches = "         worker 2        312,118 runs · at step 37 of 44 after T1*3 T2*5";
        assert_eq!(line(&worker(Doing::Searching, &at), 0), searches);
        assert_eq!(line(&worker(Doing::Searching, &at), 12), format!("{searches} · nothing new for 12 s"));
        let samples = Progress { length: 44, ..some_progress() };
        assert!(line(&worker(Doing::Searching, &samples), 0).ends_with("runs · the last one had 44 steps"));
        assert!(line(&worker(Doing::Done, &at), 60).ends_with("runs · idle, nothing is left for it"));
        let nothing = line(&worker(Doing::Starting, &Progress::default()), 9);
        assert_eq!(nothing, "         worker 2              0 runs · it starts");
    }

    #[test]
    fn the_live_display_fits_a_hundred_columns() {
        let moods = [Mood::Exploring, Mood::Listening, Mood::Paused, Mood::Stopping];
        for (unicode, mood) in [true, false].into_iter().flat_map(|unicode| moods.map(|mood| (unicode, mood)))
        {
            let (title, time) = ("server.c · optimal-dpor", Duration::from_secs(724));
            let lines = live(title, &some_progress(), 2, time, unicode, mood, 99);
            assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:#?}");
        }
        // On a narrow screen something is left out as a whole, and what is most wanted stays.
        let mut many = some_progress();
        (many.runs, many.steps, many.threads) = (7_372_110, 1_095_904_704, 16);
        let lines = live("server.c", &many, 1, Duration::from_secs(31), true, Mood::Listening, 72);
        assert!(lines.iter().all(|line| line.chars().count() <= 72), "{lines:#?}");
        assert!(lines[2].contains(" runs/s · ") && lines[2].contains("1 finding · "), "{lines:#?}");
        assert!(lines[2].ends_with(" left") && !lines[2].contains("steps"), "{lines:#?}");
        assert_eq!(lasting(Duration::from_secs(724)), "12 m 04 s");
        assert_eq!(fitting("a\x1b[2Jb\nc", 4), "a[2J");
    }
}
