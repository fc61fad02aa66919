//! One finding on the page: headline, cards, lanes, source.

use std::borrow::Cow;

use maud::{Markup, html};
use raddle_detect::Detail;

use crate::finding::{scope, up_to_failure, words_of};
use crate::passing::Beside;
use crate::story::story;
use crate::words::Words;
use crate::{FindingRecord, Style, ending};

use super::anchor::anchor;
use super::lanes::Shown;
use super::source::Sources;
use super::{cards, clean, lanes};
use crate::calls::Entered;

/// The finding in one sentence.
pub(super) fn headline(found: &FindingRecord) -> String {
    let style = Style::default();
    let view = found.view();
    ending::sentence(&found.fact, &words_of(&view, &style))
}

pub(super) fn finding_section(
    found: &FindingRecord,
    index: usize,
    findings: usize,
    source: &dyn Fn(&str) -> Option<String>,
) -> Markup {
    let run = up_to_failure(&found.fact, &found.run);
    let found = &run.map_or(Cow::Borrowed(found), |run| Cow::Owned(FindingRecord { run, ..found.clone() }));
    let style = Style::default();
    let view = found.view();
    let words = words_of(&view, &style);
    let steps = story(&words, &found.fact);
    let anchor = anchor(&found.id, index);
    let sources = Sources::new(found, &steps, source);
    let passing = found.passing.as_ref().and_then(|passing| passing.run.as_ref());
    let beside = passing.map(|passing| Beside::new(&words, &found.fact, passing, &style));
    let entered = Entered::of(&words, source);
    let rows = lanes::shown(steps.len(), findings);
    let is_shown = |event: usize| rows.binary_search(&event).is_ok();
    let about = ending::message_lines(&found.fact, &words, 400);
    let parts = beside.as_ref().map(|beside| beside.parts);
    html! {
        section.finding id=(anchor) data-steps=(steps.len()) {
            h2 { (ending::sentence(&found.fact, &words)) " " span.muted { "finding " (clean(&found.id)) } }
            @if !about.is_empty() { pre { (about.join("\n")) } }
            dl.facts {
                dt { "scope" } dd { (scope(&view, &words)) }
                dt { "see it again" } dd { code { (clean(&found.replay)) } }
                @if let Some(schedule) = &found.schedule { dt { "schedule" } dd { code { (clean(schedule)) } } }
                @for note in &found.notes { dt { "note" } dd { (clean(note)) } }
            }
            (card(found, &words, &sources, &entered))
            (super::beside::section(found, &words, beside.as_ref(), &is_shown, &anchor))
            (toggles(index, beside.is_some(), !entered.is_empty()))
            div.story {
                (lanes::lanes(found, &words, &steps, &sources, &anchor, Shown { rows: &rows, is_first: index == 0, parts, entered: &entered }))
                aside aria-label="source" { (sources.markup(&words, &anchor)) }
            }
        }
    }
}

fn card(found: &FindingRecord, words: &Words<'_>, sources: &Sources, entered: &Entered) -> Markup {
    match &found.fact.detail {
        Detail::None => html! {},
        Detail::Race { object, first, second } => {
            cards::race(*object, first, second, words, sources, entered)
        }
        Detail::Deadlock { waiters, cycle } => cards::deadlock(waiters, cycle, words),
        Detail::Memory(block) => cards::memory(&found.fact, block, words, sources),
    }
}

fn toggles(index: usize, passes: bool, folds: bool) -> Markup {
    html! {
        div.toggles {
            label { input.only-shared type="checkbox" autocomplete="off"; " fade steps that touch nothing shared" }
            label { input.no-arrows type="checkbox" autocomplete="off"; " no arrows" }
            @if folds { label.scripted-only { input.fold-calls type="checkbox" autocomplete="off"; " fold calls" } }
            label.find { "find " input type="search" size="14" autocomplete="off" spellcheck="false" aria-label="find a step by its text"; }
            @if index == 0 {
                span.muted { "keys: " kbd { "j" } " " kbd { "k" } " or arrows: step · " kbd { "e" } " first error · " kbd { "n" } " " kbd { "p" } " finding · " kbd { "/" } " find" @if passes { " · " kbd { "a" } " run that passes" } @if folds { " · " kbd { "f" } " fold calls, " kbd { "→" } " " kbd { "←" } " open and close one" } }
            }
        }
    }
}
