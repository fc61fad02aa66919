//! A finding as text.

use raddle_detect::{Detail, Finding, FindingKind};
use raddle_trace::schedule::ThreadName;
use raddle_trace::{Ending, Kind, Run};

use crate::columns::{Row, first_uses, legend, rows, table};
use crate::comments::lost_writes;
use crate::fold::Weight;
use crate::sanitise::sanitise;
use crate::snippet::{Mark, snippet};
use crate::text::{INDENT, count, grouped, headline, keyed, keyed_as_is, keyed_command, pad};
use crate::words::Words;
use crate::{Counted, Met, Passing, Style, deadlock, ending, memory, race};

/// The whole text should fit a screen of this many lines.
const SCREEN: usize = 40;
/// The table of the schedule gets at least this many lines, whatever else there is to say.
const SMALLEST_TABLE: usize = 10;
/// The legends below the table take up to this many lines, the blank one included.
const LEGENDS: usize = 4;

/// Everything that is shown of one finding.
#[derive(Clone, Copy, Debug)]
pub struct FindingView<'a> {
    /// What is wrong.
    pub finding: &'a Finding,
    /// The shrunk run that shows it.
    pub run: &'a Run,
    /// The places of the threads in the creation tree, by number.
    pub names: &'a [ThreadName],
    /// The short name of the finding.
    pub id: &'a str,
    /// The number of the run in which it was found.
    pub found_in_run: u64,
    /// How many steps that run had.
    pub found_steps: usize,
    /// How many pre-emptions that run had.
    pub found_preemptions: usize,
    /// How many pre-emptions are left.
    pub preemptions: usize,
    /// The command that replays it.
    pub replay: &'a str,
    /// Where its schedule is stored.
    pub schedule: Option<&'a str>,
    /// Where its page is stored.
    pub page: Option<&'a str>,
    /// What else has to be said, in whole sentences.
    pub notes: &'a [String],
    /// How often it was met, if the search went on after it.
    pub met: Option<Met>,
    /// A run that passes and begins like this one, if one was looked for.
    pub passing: Option<&'a Passing>,
}

/// The finding as text; `source` gives the contents of a source file.
#[must_use]
pub fn finding(view: &FindingView<'_>, style: &Style, source: &dyn Fn(&str) -> Option<String>) -> String {
    if let Some(run) = up_to_failure(view.finding, view.run).filter(|_| !style.full) {
        return finding(&FindingView { run: &run, ..*view }, style, source);
    }
    let words = words_of(view, style);
    let mut head = vec![top(view, &words)];
    head.extend(details(view, &words));
    let is_race = matches!(view.finding.detail, Detail::Race { .. });
    let mut code = snippet(&words, marks(view, &words), source);
    let mut foot = accesses(view, &words, &code);
    foot.extend(bottom(view, &words));

    let rows = schedule_rows(view, &words);
    let room = |code: &[String]| {
        if style.full {
            return usize::MAX;
        }
        let taken = height(&head) + height(&[code.to_vec(), foot.clone()]) + LEGENDS;
        SCREEN.saturating_sub(taken)
    };
    if room(&code) < SMALLEST_TABLE.min(rows.len() + 2) && !is_race {
        code.clear();
    }
    let drawn = |room: usize| {
        let room = room.max(SMALLEST_TABLE);
        let schedule = if rows.is_empty() { Vec::new() } else { table(&words, &rows, room) };
        let below = legends(&words, &head, &schedule);
        (schedule, below)
    };
    let (mut schedule, mut below) = drawn(room(&code));
    // What the legends do not need is the table's, unless they then need it.
    let spare = (LEGENDS - 1).saturating_sub(below.len());
    let (longer, its_legends) = drawn(room(&code).saturating_add(spare));
    if its_legends.len() <= below.len() {
        (schedule, below) = (longer, its_legends);
    }

    let mut sections = head;
    // What a race is about is its two accesses; for the rest the schedule comes first.
    sections.extend(if is_race { [code, schedule, below, foot] } else { [schedule, below, code, foot] });
    let sections = sections.iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"));
    sections.collect::<Vec<String>>().join("\n\n") + "\n"
}

/// The run without what destructors did because of the failure, which says nothing about it; none if they did nothing.
pub(crate) fn up_to_failure(finding: &Finding, run: &Run) -> Option<Run> {
    let length = finding.length(run);
    (length < run.events.len()).then(|| {
        let mut run = run.clone();
        run.events.truncate(length);
        run.calls.of_events.truncate(length);
        run
    })
}

/// What everything in reports about this finding is called.
pub(crate) fn words_of<'a>(view: &FindingView<'a>, style: &'a Style) -> Words<'a> {
    Words::new(view.run, view.names, &places(view.finding), style)
}

/// What is special to a deadlock.
pub(crate) fn details(view: &FindingView<'_>, words: &Words<'_>) -> Vec<Vec<String>> {
    match &view.finding.detail {
        Detail::Deadlock { waiters, cycle } => {
            vec![deadlock::circle(waiters, cycle, words), deadlock::table(waiters, cycle, words)]
        }
        _ => Vec::new(),
    }
}

/// The lines of all sections, with a blank line after each.
fn height(sections: &[Vec<String>]) -> usize {
    sections.iter().filter(|lines| !lines.is_empty()).map(|lines| lines.len() + 1).sum()
}

/// The two accesses of a race, unless the snippet shows them, and why they race.
pub(crate) fn accesses(view: &FindingView<'_>, words: &Words<'_>, code: &[String]) -> Vec<String> {
    let Detail::Race { object, first, second } = &view.finding.detail else { return Vec::new() };
    let columns = words.style.columns();
    let mut lines = Vec::new();
    if code.iter().filter(|line| line.contains(race::HOLDING)).count() != 2 {
        lines.extend(keyed("first", &race::with_place(first, words), columns));
        lines.extend(keyed("second", &race::with_place(second, words), columns));
    }
    lines.extend(keyed("note", &race::reason(first, second, words), columns));
    lines.extend(keyed("help", &race::help(*object, words), columns));
    lines
}

fn schedule_rows(view: &FindingView<'_>, words: &Words<'_>) -> Vec<Row> {
    let mut rows = rows(words, view.finding, &telling(view));
    if let Detail::Race { first, second, .. } = &view.finding.detail {
        let is_after = |row: &&mut Row| row.step.is_some_and(|step| step > first.event.max(second.event) + 1);
        rows.iter_mut().filter(is_after).for_each(|row| row.weight = Weight::After);
    }
    if view.finding.kind == FindingKind::Livelock {
        let repeated: Vec<bool> = (0..rows.len()).map(|row| comes_again(&rows, row)).collect();
        let repeated = rows.iter_mut().zip(repeated).filter(|(_, again)| *again);
        repeated.for_each(|(row, _)| row.weight = Weight::Frame);
    }
    rows.retain(|row| words.style.shows(row.thread));
    if words.style.full {
        // Nothing comes after everything that matters if everything is to be seen.
        rows.iter_mut().for_each(|row| row.weight = row.weight.max(Weight::Frame));
    }
    let length = view.finding.length(view.run);
    let before = rows.partition_point(|row| row.step.is_some_and(|step| step <= length));
    rows.splice(before..before, ending::last_rows(view.finding, words));
    rows
}

/// Whether the thread does the same again soon: of a loop that goes round and round the last round says enough.
fn comes_again(rows: &[Row], row: usize) -> bool {
    const ROUND: usize = 12;
    let same = |later: &Row| {
        (later.thread, later.place) == (rows[row].thread, rows[row].place) && later.text == rows[row].text
    };
    let end = rows.len().min(row + 1 + ROUND);
    rows[row].step.is_some() && !rows[row].preempts && rows[row + 1..end].iter().any(same)
}

/// What the symbols mean, and where the objects were first used.
fn legends(words: &Words<'_>, head: &[Vec<String>], schedule: &[String]) -> Vec<String> {
    let named: Vec<String> = head.iter().flatten().chain(schedule).cloned().collect();
    let mut lines = legend(words, schedule);
    let has_starts = words.run.events.iter().skip(1).any(|event| event.operation.kind == Kind::Start);
    let has_others = words.run.events.iter().any(|event| !words.style.shows(event.thread));
    let gaps = match (has_starts && !words.style.full, has_others) {
        (true, false) => Some("steps without a line start a thread"),
        (true, true) => Some("steps without a line start a thread, or are of threads not shown"),
        (false, true) => Some("steps without a line are of threads not shown"),
        (false, false) => None,
    };
    if let Some(entry) = gaps.filter(|_| !schedule.is_empty()) {
        match lines.last_mut() {
            Some(line) if crate::text::width(line) + 3 + entry.len() <= words.style.columns() => {
                line.push_str(&format!("   {entry}"));
            }
            _ => lines.push(format!("        {entry}")),
        }
    }
    lines.truncate(LEGENDS - 2);
    lines.extend(first_uses(words, &named, LEGENDS - 1 - lines.len()));
    lines
}

/// All places that the finding speaks of.
pub(crate) fn places(finding: &Finding) -> Vec<raddle_trace::Place> {
    let mut places = vec![finding.place];
    match &finding.detail {
        Detail::None => {}
        Detail::Memory(block) => {
            let spots = block.allocated.iter().chain(&block.freed);
            places.extend(spots.flat_map(|spot| spot.stack.iter().copied().chain([spot.place])));
        }
        Detail::Deadlock { waiters, .. } => places.extend(waiters.iter().map(|waiter| waiter.place)),
        Detail::Race { first, second, .. } => places.extend([first.place, second.place]),
    }
    places
}

/// The headline and the program's own words.
pub(crate) fn top(view: &FindingView<'_>, words: &Words<'_>) -> Vec<String> {
    let columns = words.style.columns();
    let id = format!("finding {}", view.id);
    let mut lines = headline("FAIL", &ending::sentence(view.finding, words), &id, columns);
    let message = ending::message_lines(view.finding, words, columns - INDENT);
    lines.extend(message.iter().map(|line| format!("{}{line}", " ".repeat(INDENT))));
    lines
}

/// The events that explain the finding, besides the pre-emptions.
fn telling(view: &FindingView<'_>) -> Vec<usize> {
    let mut telling: Vec<usize> =
        lost_writes(view.run).iter().flat_map(|lost| [lost.read, lost.write, lost.by]).collect();
    match &view.finding.detail {
        Detail::Race { first, second, .. } => telling.extend([first.event, second.event]),
        Detail::Deadlock { waiters, .. } => {
            telling
                .extend(waiters.iter().flat_map(|waiter| &waiter.holds).map(|(_, since, _)| *since as usize));
        }
        Detail::None | Detail::Memory(_) => {}
    }
    telling
}

/// The source lines that matter.
fn marks(view: &FindingView<'_>, words: &Words<'_>) -> Vec<Mark> {
    match &view.finding.detail {
        Detail::Race { first, second, .. } => return race::marks(first, second, words),
        Detail::Deadlock { waiters, cycle } => return deadlock::marks(waiters, cycle, words),
        Detail::Memory(block) => return memory::marks(view.finding, block),
        Detail::None => {}
    }
    let failing = match view.finding.kind {
        FindingKind::Crash => format!("{} crashes here", view.finding.thread),
        _ => format!("{} fails here", view.finding.thread),
    };
    let mut marks = vec![Mark { place: view.finding.place, remark: failing, strong: true }];
    let events = &view.run.events;
    let mark = |event: usize, remark: String| Mark { place: events[event].place, remark, strong: false };
    if let Some(lost) = lost_writes(view.run).last() {
        let (read, write, by) = (lost.read + 1, lost.write + 1, lost.by + 1);
        marks.push(mark(lost.read, format!("step {read} reads before step {write} writes")));
        marks.push(mark(lost.by, format!("step {by} undoes step {write}")));
    } else if let Some(switch) = events.iter().position(|event| event.preempts)
        && let Some(before) =
            events[..switch].iter().rposition(|event| event.decided && event.operation.kind != Kind::End)
    {
        let (from, to) = (events[before].thread, events[switch].thread);
        marks.push(mark(before, format!("{from} stops after this, step {}, and {to} goes", before + 1)));
    }
    marks
}

/// What the last lines say: how it was met, what to do, how to see it again.
pub(crate) fn bottom(view: &FindingView<'_>, words: &Words<'_>) -> Vec<String> {
    let columns = words.style.columns();
    let mut lines = Vec::new();
    if let Detail::Memory(block) = &view.finding.detail {
        let history = memory::history(block, words);
        lines.extend(history.iter().flat_map(|(key, text)| keyed(key, text, columns)));
    }
    lines.extend(keyed("scope", &scope(view, words), columns));
    if let Detail::Deadlock { waiters, cycle } = &view.finding.detail {
        let hints = deadlock::hints(waiters, cycle, words);
        lines.extend(hints.iter().flat_map(|hint| keyed("hint", hint, columns)));
    }
    if ending::made_no_step(view.finding) && !view.replay.starts_with(REPLAY) {
        lines.extend(keyed("hint", ending::POLLING, columns));
    }
    if view.run.ending == Ending::StackOverflow && !view.replay.starts_with(REPLAY) {
        lines.extend(keyed("hint", ending::STACK, columns));
    }
    lines.extend(view.notes.iter().flat_map(|note| keyed("note", &sanitise(note, words.style), columns)));
    lines.extend(next_commands(view, words));
    lines
}

/// How to see the finding again and at length, with commands that can be copied.
fn next_commands(view: &FindingView<'_>, words: &Words<'_>) -> Vec<String> {
    let clean = |text: &str| sanitise(text, words.style);
    let replay = clean(view.replay);
    let Some(finding) = view.replay.strip_prefix(REPLAY).map(clean) else {
        let paths = [("schedule", view.schedule), ("page", view.page)];
        let paths = paths.iter().filter_map(|(key, path)| Some(keyed_as_is(key, &clean((*path)?))));
        // The first word sets a variable of the shell, unless it is a sentence.
        let is_command = replay.split(' ').next().is_some_and(|first| first.contains('='));
        let lines = if is_command { keyed_command } else { keyed };
        return lines("replay", &replay, words.style.columns()).into_iter().chain(paths).collect();
    };
    // What could not be kept cannot be replayed.
    let Some(schedule) = view.schedule else { return Vec::new() };
    let stop = format!("in gdb: {replay} --gdb --until {}", turning_point(view) + 1);
    let mut lines = beside("replay", &replay, &stop, words);
    if view.page.is_some() {
        let (page, words_only) =
            (format!("raddle report {finding} --open"), format!("every step: raddle explain {finding}"));
        lines.extend(beside("report", &page, &words_only, words));
    }
    let folder = schedule.strip_suffix("/schedule.txt").unwrap_or(schedule);
    lines.push(keyed_as_is("kept in", &clean(folder)));
    lines
}

/// How the commands begin that replay a finding of the command line.
const REPLAY: &str = "raddle replay ";

/// A keyword and two things to copy; the second goes below if there is no room.
fn beside(key: &str, first: &str, second: &str, words: &Words<'_>) -> Vec<String> {
    const SECOND: usize = 32;
    let both = format!("{}  {second}", pad(first, SECOND));
    let fits = INDENT + crate::text::width(&both) <= words.style.columns();
    if fits { vec![keyed_as_is(key, &both)] } else { vec![keyed_as_is(key, first), keyed_as_is("", second)] }
}

/// The event before which a debugger is most useful: the second access of a race, the one that undoes something, else the last
/// switch that nobody forced, else the last.
fn turning_point(view: &FindingView<'_>) -> usize {
    let events = &view.run.events;
    if let Detail::Race { first, second, .. } = &view.finding.detail {
        return first.event.max(second.event);
    }
    let undoes = lost_writes(view.run).last().map(|lost| lost.by);
    let switch = || events.iter().rposition(|event| event.preempts);
    undoes.or_else(switch).unwrap_or(view.finding.length(view.run).saturating_sub(1))
}

/// How the finding was met and how small it became.
pub(crate) fn scope(view: &FindingView<'_>, words: &Words<'_>) -> String {
    let (steps, preemptions) = (view.finding.length(view.run), view.preemptions);
    let (step_words, preemption_words) =
        (count(steps as u64, "step"), count(preemptions as u64, "pre-emption"));
    let from = (grouped(view.found_steps as u64), grouped(view.found_preemptions as u64));
    let size = match (view.found_steps > steps, view.found_preemptions > preemptions) {
        (true, true) => format!("shrunk from {} to {step_words}, {} to {preemption_words}", from.0, from.1),
        (true, false) => format!("shrunk from {} to {step_words}, {preemption_words}", from.0),
        (false, true) => format!("{step_words}, shrunk from {} to {preemption_words}", from.1),
        (false, false) => format!("{step_words}, {preemption_words}"),
    };
    // Together with how often it was met, the line should still fit.
    let replayed = if view.met.is_some() { "replayed" } else { "replayed, same end" };
    let mut parts = vec![format!("found in run {}", grouped(view.found_in_run)), size, replayed.to_owned()];
    parts.extend(view.met.map(|met| how_often(met, view.finding.kind)));
    words.dotted(&parts)
}

/// How often the finding was met, and of how many that is.
fn how_often(met: Met, kind: FindingKind) -> String {
    let unit = match met.what {
        Counted::Traces => "trace",
        Counted::Runs => "run",
    };
    let part = format!("{} of {}", grouped(met.times), count(met.of, unit));
    let one = met.times == 1;
    match (met.finished, kind) {
        (false, _) => format!("so far in {part}"),
        (true, FindingKind::DataRace) => format!("{part} {} it", if one { "has" } else { "have" }),
        (true, _) => format!("{part} {} this way", if one { "ends" } else { "end" }),
    }
}
