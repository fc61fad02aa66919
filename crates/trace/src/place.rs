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
    /// A place in a compiled C or C++ program.
    Site(&'static Site),
}

/// A place in the source of a C or C++ program. Sites are stored once and never freed, so that a place is one word and
/// events stay small.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// The file as the compiler named it.
    pub file: &'static str,
    /// The function.
    pub function: &'static str,
    /// The line, counted from one.
    pub line: u32,
    /// The column, counted from one; zero if it is not known.
    pub column: u32,
    /// What tells apart the ways on which the place was reached ([`Site::context_of`]); zero if they are not told apart.
    pub context: u32,
}

impl Site {
    /// A number for the most recent calls, given as file and line, the innermost first. It is the same in every process, so
    /// that what is learned in one can be used in another; that of no calls is zero.
    #[must_use]
    pub fn context_of<'a>(calls: impl Iterator<Item = (&'a str, u32)>) -> u32 {
        // FNV-1a over the bytes: two contexts share a number only by a rare accident, which merges two statements.
        const PRIME: u32 = 0x0100_0193;
        let mut hash = 0;
        for (file, line) in calls {
            hash = if hash == 0 { 0x811c_9dc5 } else { hash };
            for byte in file.bytes().chain(line.to_le_bytes()) {
                hash = (hash ^ u32::from(byte)).wrapping_mul(PRIME);
            }
        }
        hash
    }
}

impl Place {
    /// The file as the compiler named it.
    #[must_use]
    pub fn file(self) -> Option<&'static str> {
        match self {
            Place::Unknown => None,
            Place::Rust(location) => Some(location.file()),
            Place::Site(site) => Some(site.file),
        }
    }

    /// The line, counted from one.
    #[must_use]
    pub fn line(self) -> Option<u32> {
        match self {
            Place::Unknown => None,
            Place::Rust(location) => Some(location.line()),
            Place::Site(site) => Some(site.line),
        }
    }

    /// The column, counted from one.
    #[must_use]
    pub fn column(self) -> Option<u32> {
        match self {
            Place::Unknown => None,
            Place::Rust(location) => Some(location.column()),
            Place::Site(site) => Some(site.column).filter(|column| *column > 0),
        }
    }

    /// The number of the most recent calls, where they are told apart.
    #[must_use]
    pub fn context(self) -> u32 {
        match self {
            Place::Site(site) => site.context,
            Place::Unknown | Place::Rust(_) => 0,
        }
    }

    /// A number that is the same for the same place during one process; zero if the place is not known.
    #[must_use]
    pub fn address(self) -> u64 {
        match self {
            Place::Unknown => 0,
            Place::Rust(location) => std::ptr::from_ref(location) as u64,
            Place::Site(site) => std::ptr::from_ref(site) as u64,
        }
    }

    /// The function, where the compiler told it.
    #[must_use]
    pub fn function(self) -> Option<&'static str> {
        match self {
            Place::Site(site) => Some(site.function).filter(|function| !function.is_empty()),
            Place::Unknown | Place::Rust(_) => None,
        }
    }
}

impl PartialEq for Place {
    #[inline]
    fn eq(&self, other: &Place) -> bool {
        /// The compiler may store one place several times, so equal addresses are only the fast case.
        #[cold]
        fn reads_the_same<T: PartialEq>(a: &T, b: &T) -> bool {
            a == b
        }
        match (self, other) {
            (Place::Unknown, Place::Unknown) => true,
            (Place::Rust(a), Place::Rust(b)) => std::ptr::eq(*a, *b) || reads_the_same(*a, *b),
            (Place::Site(a), Place::Site(b)) => std::ptr::eq(*a, *b) || reads_the_same(*a, *b),
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
