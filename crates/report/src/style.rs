//! How text may look, and the symbols with their plain forms.

use raddle_trace::{ThreadId, ThreadSet};

/// What the place where the text is shown can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether more than ASCII can be shown.
    pub unicode: bool,
    /// How many columns a line has.
    pub width: usize,
    /// Whether everything is shown, however many lines it takes.
    pub full: bool,
    /// The threads whose steps are shown; all if none are named.
    pub only: ThreadSet,
}

impl Default for Style {
    fn default() -> Style {
        Style::new(true, 100)
    }
}

/// Less than this no table fits.
const NARROWEST: usize = 60;

impl Style {
    /// A screen with so many columns.
    #[must_use]
    pub const fn new(unicode: bool, width: usize) -> Style {
        Style { unicode, width, full: false, only: ThreadSet::EMPTY }
    }

    /// Whether the steps of this thread are shown.
    pub(crate) fn shows(&self, thread: ThreadId) -> bool {
        self.only.is_empty() || self.only.contains(thread)
    }

    pub(crate) fn columns(&self) -> usize {
        self.width.max(NARROWEST)
    }

    pub(crate) fn symbols(&self) -> &'static Symbols {
        if self.unicode { &UNICODE } else { &ASCII }
    }
}

/// The symbols of one alphabet.
pub(crate) struct Symbols {
    pub read: &'static str,
    pub written: &'static str,
    pub exchanged: &'static str,
    pub switch: &'static str,
    pub cut: &'static str,
    pub fails: &'static str,
    pub nothing: &'static str,
    pub dot: &'static str,
    pub rule: char,
    pub strong_rule: char,
    pub bar: char,
    pub corner: &'static str,
    pub tail: &'static str,
    pub head: &'static str,
    pub plus_minus: &'static str,
}

const UNICODE: Symbols = Symbols {
    read: "→",
    written: "←",
    exchanged: "⇒",
    switch: "⇄",
    cut: "…",
    fails: "✗",
    nothing: "–",
    dot: "·",
    rule: '─',
    strong_rule: '━',
    bar: '│',
    corner: "╭▸",
    tail: "──",
    head: "──▶",
    plus_minus: "±",
};

const ASCII: Symbols = Symbols {
    read: "->",
    written: "<-",
    exchanged: "=>",
    switch: "<>",
    cut: "..",
    fails: "x",
    nothing: "-",
    dot: "|",
    rule: '-',
    strong_rule: '=',
    bar: '|',
    corner: "-->",
    tail: "--",
    head: "-->",
    plus_minus: "+-",
};
