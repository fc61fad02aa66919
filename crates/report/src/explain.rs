//! A finding at length: every step with its source line, what it changed, what is held, and why each switch was possible.

use crate::columns::{first_uses, legend};
use crate::finding::{accesses, bottom, details, top, words_of};
use crate::snippet::Source;
use crate::story::{StoryStep, story};
use crate::text::{clip, count, grouped, keyed, pad, pad_start};
use crate::words::Words;
use crate::{FindingView, Style, ending, passing};

/// Where the text of a step starts.
const STEP: usize = 9;
/// More lines of objects are not listed.
const OBJECTS: usize = 12;

/// The finding at length; `source` gives the contents of a source file.
#[must_use]
pub fn explain(view: &FindingView<'_>, style: &Style, source: &dyn Fn(&str) -> Option<String>) -> String {
    let words = words_of(view, style);
    let steps = story(&words, view.finding);
    let mut sections = vec![top(view, &words)];
    sections.extend(details(view, &words));
    sections.push(accesses(view, &words, &[]));
    sections.push(keyed("threads", &threads(&words, &steps), style.columns()));
    let mut lines = Lines { words: &words, source, read: Vec::new() };
    let shown = steps.iter().filter(|step| style.shows(step.thread));
    let length = view.finding.length(view.run);
    let before = shown.clone().take_while(|step| step.number <= length).count();
    let mut told: Vec<Vec<String>> = shown.map(|step| lines.step(step, &steps)).collect();
    let last = ending::last_rows(view.finding, &words);
    let last: Vec<String> = last
        .iter()
        .map(|row| {
            let text = format!("{}{}  {}", " ".repeat(STEP), words.thread(row.thread), row.text);
            clip(&format!("{text}  {}", words.files.place(row.place)), style.columns(), words.symbols.cut)
        })
        .map(|line| line.trim_end().to_owned())
        .collect();
    let flat: Vec<String> = told.concat();
    let mut below = legend(&words, &flat);
    below.extend(first_uses(&words, &flat, OBJECTS));
    told.insert(before, last);
    sections.extend(told);
    let passing = passing::sentence(&words, view.finding, view.passing);
    let passing = passing.map(|text| keyed("passing", &text, style.columns())).unwrap_or_default();
    sections.extend([below, passing, bottom(view, &words)]);
    let sections = sections.iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"));
    sections.collect::<Vec<String>>().join("\n\n") + "\n"
}

/// Every thread with the number of its steps.
fn threads(words: &Words<'_>, steps: &[StoryStep]) -> String {
    let mut threads: Vec<_> = steps.iter().map(|step| step.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let part = |thread: &raddle_trace::ThreadId| {
        let own = steps.iter().filter(|step| step.thread == *thread).count();
        format!("{} ({})", words.thread(*thread), count(own as u64, "step"))
    };
    words.dotted(&threads.iter().map(part).collect::<Vec<String>>())
}

struct Lines<'a> {
    words: &'a Words<'a>,
    source: &'a Source<'a>,
    /// The files that were read, each by its lines; none if it is not known.
    read: Vec<(&'static str, Option<Vec<String>>)>,
}

impl Lines<'_> {
    fn step(&mut self, step: &StoryStep, steps: &[StoryStep]) -> Vec<String> {
        let (words, columns) = (self.words, self.words.style.columns());
        let mark = if step.preempts { words.symbols.switch } else { "" };
        let number = format!("{}{}", pad(mark, 2), pad_start(&grouped(step.number as u64), STEP - 4));
        let head = format!("{number}  {}  {}", words.thread(step.thread), step.text);
        let mut lines = vec![clip(&head, columns, words.symbols.cut)];
        let mut say = |key: &str, text: &str| {
            if !text.is_empty() {
                lines.extend(keyed(key, text, columns));
            }
        };
        let function =
            step.place.function().map_or_else(String::new, |name| format!(" in {}", words.clean(name)));
        let place = words.files.place(step.place);
        say("at", &if place.is_empty() { place } else { format!("{place}{function}") });
        if let Some(code) = self.code(step) {
            say("source", &clip(&code, columns - crate::text::INDENT, words.symbols.cut));
        }
        say("note", &step.comment);
        if let Some(change) = &step.change {
            say("changes", &format!("{} from {} to {}", change.what, change.before, change.after));
        }
        say("holds", &step.holds.join(", "));
        let after: Vec<String> = step
            .after
            .iter()
            .filter_map(|before| steps.get(before - 1))
            .map(|before| format!("step {} of {}", grouped(before.number as u64), before.thread))
            .collect();
        say("after", &crate::text::listed(&after));
        say("switch", &step.switch);
        lines
    }

    /// The source line of a step.
    fn code(&mut self, step: &StoryStep) -> Option<String> {
        let (file, line) = (step.place.file()?, step.place.line()? as usize);
        if !self.read.iter().any(|(known, _)| *known == file) {
            let text = (self.source)(file).map(|text| text.lines().map(str::to_owned).collect());
            self.read.push((file, text));
        }
        let (_, text) = self.read.iter().find(|(known, _)| *known == file)?;
        let code = text.as_ref()?.get(line.checked_sub(1)?)?;
        Some(self.words.clean(code.trim()))
    }
}
