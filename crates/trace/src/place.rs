//! Where in the source an event happened.

use std::fmt;
use std::panic::Location;

/// A place in the source of the program under test.
#[derive(Clone, Copy, Default)]
pub enum Place {
    /// Not known, or not in the program's source.
    #[default]
    Unknown,
    /// A caller's location, as the Rust compiler gives it.
    Rust(&'static Location<'static>),
}

impl Place {
    /// The file as the compiler named it.
    #[must_use]
    pub fn file(self) -> Option<&'static str> {
        match self {
            Place::Unknown => None,
            Place::Rust(location) => Some(location.file()),
        }
    }

    /// The line, counted from one.
    #[must_use]
    pub fn line(self) -> Option<u32> {
        match self {
            Place::Unknown => None,
            Place::Rust(location) => Some(location.line()),
        }
    }

    /// The column, counted from one.
    #[must_use]
    pub fn column(self) -> Option<u32> {
        match self {
            Place::Unknown => None,
            Place::Rust(location) => Some(location.column()),
        }
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        match (self, other) {
            (Place::Unknown, Place::Unknown) => true,
            // The compiler may store one location several times, so equal addresses are only the fast case.
            (Place::Rust(a), Place::Rust(b)) => std::ptr::eq(*a, *b) || a == b,
            _ => false,
        }
    }
}

impl Eq for Place {}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file(), self.line()) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}"),
            _ => f.write_str("?"),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
