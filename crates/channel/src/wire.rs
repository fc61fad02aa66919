//! Values as bytes: numbers in as few bytes as they need, lists with their length, places once each.

use std::collections::HashMap;
use std::time::Duration;

use raddle_trace::{Place, Site};

use crate::sites;

/// Why bytes are not a value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WireError {
    /// There are too few.
    #[error("the message ends in the middle of {0}")]
    Truncated(&'static str),
    /// They stand for nothing.
    #[error("the message has {found} where {what} should be")]
    Nonsense {
        /// What was expected.
        what: &'static str,
        /// What was there.
        found: u64,
    },
    /// There are too many.
    #[error("the message goes on for {0} bytes after its end")]
    TooLong(usize),
    /// More different places than any program has.
    #[error("the message speaks of more different places than can be kept")]
    TooManySites,
}

/// Bytes being written.
#[derive(Debug, Default)]
pub struct Output {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Places that were written, by their address.
    places: HashMap<u64, u64>,
}

impl Output {
    /// Empties it for reuse.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// Writes a number.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn place(&mut self, place: Place) {
        let (file, line, column) = match place {
            Place::Unknown => return self.number(0),
            Place::Rust(location) => (location.file(), location.line(), location.column()),
            Place::Site(site) => (site.file, site.line, site.column),
        };
        if let Some(&known) = self.places.get(&place.address()) {
            return self.number(known + 2);
        }
        self.places.insert(place.address(), self.places.len() as u64);
        self.number(1);
        self.text(file);
        self.text(place.function().unwrap_or_default());
        self.number(u64::from(line));
        self.number(u64::from(column));
        self.number(u64::from(place.context()));
    }
}

/// Bytes being read.
#[derive(Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
    sites: Vec<&'static Site>,
}

impl<'a> Input<'a> {
    /// Reads from these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, sites: Vec::new() }
    }

    /// Reads a byte.
    ///
    /// # Errors
    /// If there is none.
    pub fn byte(&mut self) -> Result<u8, WireError> {
        let (&first, rest) = self.bytes.split_first().ok_or(WireError::Truncated("a number"))?;
        self.bytes = rest;
        Ok(first)
    }

    /// Reads a number.
    ///
    /// # Errors
    /// If it is cut off or has more than 64 bits.
    pub fn number(&mut self) -> Result<u64, WireError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(WireError::Nonsense { what: "a number of 64 bits", found: bits });
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(WireError::Nonsense { what: "the end of a number", found: 0x80 })
    }

    /// Reads how many things follow; each of them takes at least one byte.
    ///
    /// # Errors
    /// If there are fewer bytes than things.
    pub fn length(&mut self) -> Result<usize, WireError> {
        let length = self.number()?;
        match usize::try_from(length) {
            Ok(length) if length <= self.bytes.len() => Ok(length),
            _ => Err(WireError::Truncated("a list")),
        }
    }

    /// Reads as many bytes as a length before them says.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn block(&mut self) -> Result<&'a [u8], WireError> {
        let length = self.length()?;
        let (block, rest) = self.bytes.split_at(length);
        self.bytes = rest;
        Ok(block)
    }

    /// Sees that everything has been read.
    ///
    /// # Errors
    /// If something is left.
    pub fn end(&self) -> Result<(), WireError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(WireError::TooLong(self.bytes.len())) }
    }

    fn place(&mut self) -> Result<Place, WireError> {
        match self.number()? {
            0 => Ok(Place::Unknown),
            1 => {
                let (file, function) = (String::take(self)?, String::take(self)?);
                let (line, column, context) = <(u32, u32, u32)>::take(self)?;
                let site =
                    sites::site(&file, &function, line, column, context).ok_or(WireError::TooManySites)?;
                self.sites.push(site);
                Ok(Place::Site(site))
            }
            known => match self.sites.get(known as usize - 2) {
                Some(site) => Ok(Place::Site(site)),
                None => Err(WireError::Nonsense { what: "a place", found: known }),
            },
        }
    }
}

/// A value that can be written as bytes and read back.
pub trait Wire: Sized {
    /// Writes it.
    fn put(&self, out: &mut Output);

    /// Reads it.
    ///
    /// # Errors
    /// If the bytes are not one.
    fn take(input: &mut Input<'_>) -> Result<Self, WireError>;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Wire for $type {
            fn put(&self, out: &mut Output) {
                out.number(*self as u64);
            }

            fn take(input: &mut Input<'_>) -> Result<$type, WireError> {
                let found = input.number()?;
                <$type>::try_from(found)
                    .map_err(|_| WireError::Nonsense { what: concat!("a number of type ", stringify!($type)), found })
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, usize);

impl Wire for i64 {
    fn put(&self, out: &mut Output) {
        // Zigzag, so that small negative numbers are short.
        out.number(((*self << 1) ^ (*self >> 63)) as u64);
    }

    fn take(input: &mut Input<'_>) -> Result<i64, WireError> {
        let number = input.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

impl Wire for f64 {
    fn put(&self, out: &mut Output) {
        out.number(self.to_bits());
    }

    fn take(input: &mut Input<'_>) -> Result<f64, WireError> {
        Ok(f64::from_bits(input.number()?))
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Output) {
        out.number(u64::from(*self));
    }

    fn take(input: &mut Input<'_>) -> Result<bool, WireError> {
        match input.number()? {
            0 => Ok(false),
            1 => Ok(true),
            found => Err(WireError::Nonsense { what: "yes or no", found }),
        }
    }
}

impl Wire for String {
    fn put(&self, out: &mut Output) {
        out.text(self);
    }

    fn take(input: &mut Input<'_>) -> Result<String, WireError> {
        // A program may name its things in any encoding; a name is shown, not used.
        Ok(String::from_utf8_lossy(input.block()?).into_owned())
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Output) {
        match self {
            None => out.number(0),
            Some(value) => {
                out.number(1);
                value.put(out);
            }
        }
    }

    fn take(input: &mut Input<'_>) -> Result<Option<T>, WireError> {
        Ok(if bool::take(input)? { Some(T::take(input)?) } else { None })
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Output) {
        out.number(self.len() as u64);
        self.iter().for_each(|value| value.put(out));
    }

    fn take(input: &mut Input<'_>) -> Result<Vec<T>, WireError> {
        let length = input.length()?;
        let mut values = Vec::new();
        for _ in 0..length {
            values.push(T::take(input)?);
        }
        Ok(values)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Output) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<(A, B), WireError> {
        Ok((A::take(input)?, B::take(input)?))
    }
}

impl<A: Wire, B: Wire, C: Wire> Wire for (A, B, C) {
    fn put(&self, out: &mut Output) {
        self.0.put(out);
        self.1.put(out);
        self.2.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<(A, B, C), WireError> {
        Ok((A::take(input)?, B::take(input)?, C::take(input)?))
    }
}

impl Wire for Duration {
    fn put(&self, out: &mut Output) {
        self.as_secs().put(out);
        self.subsec_nanos().put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<Duration, WireError> {
        let (seconds, nanoseconds) = (u64::take(input)?, u32::take(input)?);
        if nanoseconds >= 1_000_000_000 {
            return Err(WireError::Nonsense { what: "nanoseconds", found: u64::from(nanoseconds) });
        }
        Ok(Duration::new(seconds, nanoseconds))
    }
}

impl Wire for Place {
    fn put(&self, out: &mut Output) {
        out.place(*self);
    }

    fn take(input: &mut Input<'_>) -> Result<Place, WireError> {
        input.place()
    }
}

/// Writes and reads a struct field by field.
macro_rules! fields {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::wire::Wire for $type {
            fn put(&self, out: &mut $crate::wire::Output) {
                $($crate::wire::Wire::put(&self.$field, out);)*
            }

            fn take(input: &mut $crate::wire::Input<'_>) -> Result<$type, $crate::wire::WireError> {
                Ok(Self { $($field: $crate::wire::Wire::take(input)?),* })
            }
        }
    };
}

/// Writes and reads an enum of which each variant has a number; fields are those of a struct variant.
macro_rules! variants {
    ($type:ident as $what:literal { $($number:literal => $variant:ident $({ $($field:ident),* })? $(( $($item:ident),* ))?),* $(,)? }) => {
        impl $crate::wire::Wire for $type {
            fn put(&self, out: &mut $crate::wire::Output) {
                match self {
                    $($type::$variant $({ $($field),* })? $(( $($item),* ))? => {
                        out.number($number);
                        $($($crate::wire::Wire::put($field, out);)*)?
                        $($($crate::wire::Wire::put($item, out);)*)?
                    })*
                }
            }

            fn take(input: &mut $crate::wire::Input<'_>) -> Result<$type, $crate::wire::WireError> {
                Ok(match input.number()? {
                    $($number => {
                        $($(let $field = $crate::wire::Wire::take(input)?;)*)?
                        $($(let $item = $crate::wire::Wire::take(input)?;)*)?
                        $type::$variant $({ $($field),* })? $(( $($item),* ))?
                    })*
                    found => return Err($crate::wire::WireError::Nonsense { what: $what, found }),
                })
            }
        }
    };
}

pub(crate) use {fields, variants};
