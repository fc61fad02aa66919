//! How text may look, and the symbols with their plain forms.

/// What the place where the text is shown can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether more than ASCII can be shown.
    pub unicode: bool,
    /// How many columns a line has.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { unicode: true, width: 100 }
    }
}

/// Less than this no table fits.
const NARROWEST: usize = 60;

impl Style {
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
