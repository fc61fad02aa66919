//! The source beside the lanes: the lines that steps touch, with some around them.

use std::collections::BTreeMap;

use maud::{Markup, html};
use raddle_detect::Detail;
use raddle_trace::Place;

use crate::FindingRecord;
use crate::story::StoryStep;
use crate::text::clip;
use crate::words::Words;

use super::anchor::{line_anchor, step_anchor};
use super::clean;

/// Lines shown around one that matters.
const AROUND: u32 = 4;
/// More lines of one file are not shown.
const MOST_LINES: usize = 600;
/// More columns of a line are not shown.
const WIDEST: usize = 200;
/// More steps are not listed beside a line.
const MOST_STEPS: usize = 6;

/// The source files of one finding.
pub(super) struct Sources {
    files: Vec<File>,
}

struct File {
    name: &'static str,
    /// The shown lines, by number.
    lines: BTreeMap<u32, Line>,
}

struct Line {
    text: String,
    /// The steps that are here.
    steps: Vec<usize>,
    wrong: bool,
}

impl Sources {
    pub(super) fn new(
        found: &FindingRecord,
        steps: &[StoryStep],
        source: &dyn Fn(&str) -> Option<String>,
    ) -> Sources {
        let mut sources = Sources { files: Vec::new() };
        let wrong = wrong_places(found);
        let places = wrong.iter().copied().chain(steps.iter().map(|step| step.place));
        let mut unknown: Vec<&str> = Vec::new();
        let mut texts: Vec<Vec<String>> = Vec::new();
        for place in places {
            let (Some(name), Some(line)) = (place.file(), place.line()) else { continue };
            if unknown.contains(&name) {
                continue;
            }
            let at = match sources.files.iter().position(|file| file.name == name) {
                Some(at) => at,
                None => {
                    let Some(text) = source(name) else {
                        unknown.push(name);
                        continue;
                    };
                    sources.files.push(File { name, lines: BTreeMap::new() });
                    texts.push(text.lines().map(str::to_owned).collect());
                    texts.len() - 1
                }
            };
            sources.files[at].show(&texts[at], line);
        }
        for step in steps {
            if let Some(line) = sources.line_mut(step.place) {
                line.steps.push(step.number);
            }
        }
        for place in wrong {
            if let Some(line) = sources.line_mut(place) {
                line.wrong = true;
            }
        }
        sources
    }

    fn line_mut(&mut self, place: Place) -> Option<&mut Line> {
        let file = self.files.iter_mut().find(|file| Some(file.name) == place.file())?;
        file.lines.get_mut(&place.line()?)
    }

    /// The name of the line on the page, if it is shown.
    pub(super) fn anchor(&self, place: Place, finding: &str) -> Option<String> {
        let file = self.files.iter().position(|file| Some(file.name) == place.file())?;
        let line = place.line()?;
        self.files[file].lines.contains_key(&line).then(|| line_anchor(finding, file, line))
    }

    /// The text of a line, without what stands before and after it.
    pub(super) fn text(&self, place: Place) -> Option<&str> {
        let file = self.files.iter().find(|file| Some(file.name) == place.file())?;
        file.lines.get(&place.line()?).map(|line| line.text.trim())
    }

    pub(super) fn markup(&self, words: &Words<'_>, finding: &str) -> Markup {
        html! {
            @for (number, file) in self.files.iter().enumerate() {
                div.source tabindex="0" {
                    h3 { (clean(file.name)) }
                    @for (line, is_first, content) in file.with_gaps() {
                        @if is_first { div.gap { (words.symbols.cut) } }
                        div class=(if content.wrong { "line wrong" } else { "line" }) id=(line_anchor(finding, number, line)) {
                            span.number { (line) }
                            span.code { (content.text) }
                            span.steps {
                                @for step in content.steps.iter().take(MOST_STEPS) {
                                    a href={ "#" (step_anchor(finding, *step)) } { (step) } " "
                                }
                                @if content.steps.len() > MOST_STEPS { (words.symbols.cut) }
                            }
                        }
                    }
                }
            }
            @if self.files.is_empty() { p.muted { "The source of this program was not found." } }
        }
    }
}

impl File {
    fn show(&mut self, text: &[String], line: u32) {
        let last = u32::try_from(text.len()).unwrap_or(u32::MAX);
        if line == 0 || line > last || (self.lines.contains_key(&line) && self.lines.len() >= MOST_LINES) {
            return;
        }
        for number in line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND).min(last) {
            if self.lines.len() >= MOST_LINES {
                return;
            }
            self.lines.entry(number).or_insert_with(|| Line {
                text: clip(&clean(&text[number as usize - 1]), WIDEST, "…"),
                steps: Vec::new(),
                wrong: false,
            });
        }
    }

    /// The lines, each with whether there is a gap before it.
    fn with_gaps(&self) -> impl Iterator<Item = (u32, bool, &Line)> {
        let mut last = None;
        self.lines.iter().map(move |(number, line)| {
            let gap = last.is_some_and(|last: u32| last + 1 != *number);
            last = Some(*number);
            (*number, gap, line)
        })
    }
}

/// The places where it goes wrong.
fn wrong_places(found: &FindingRecord) -> Vec<Place> {
    let mut places = vec![found.fact.place];
    match &found.fact.detail {
        Detail::None => {}
        Detail::Race { first, second, .. } => places.extend([first.place, second.place]),
        Detail::Deadlock { waiters, .. } => places.extend(waiters.iter().map(|waiter| waiter.place)),
        Detail::Memory(block) => {
            places.extend(block.allocated.iter().chain(&block.freed).map(|spot| spot.place));
        }
    }
    places
}
