//! References made from other things.

use std::borrow::Cow;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::path::{Path, PathBuf};

use super::*;

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(data: T) -> Arc<T> {
        Arc::new(data)
    }
}

/// Clones that `std`'s own reference has, or gets, are not seen by a check.
impl<T: ?Sized> From<real::Arc<T>> for Arc<T> {
    fn from(data: real::Arc<T>) -> Arc<T> {
        Arc::known(data)
    }
}

macro_rules! from {
    ($([$($parameters:tt)*] $from:ty => $to:ty;)*) => {$(
        impl<$($parameters)*> From<$from> for Arc<$to> {
            #[track_caller]
            fn from(data: $from) -> Arc<$to> {
                Arc::begin(data.into())
            }
        }
    )*};
}

from! {
    [T: ?Sized] Box<T> => T;
    [T] Vec<T> => [T];
    [T: Clone] &[T] => [T];
    [T, const N: usize] [T; N] => [T];
    [T: Clone] &mut [T] => [T];
    [] &str => str;
    [] &mut str => str;
    [] String => str;
    [] &CStr => CStr;
    [] &mut CStr => CStr;
    [] CString => CStr;
    [] &OsStr => OsStr;
    [] &mut OsStr => OsStr;
    [] OsString => OsStr;
    [] &Path => Path;
    [] &mut Path => Path;
    [] PathBuf => Path;
}

impl<'a, B: ?Sized + ToOwned> From<Cow<'a, B>> for Arc<B>
where
    Arc<B>: From<&'a B> + From<B::Owned>,
{
    #[track_caller]
    fn from(data: Cow<'a, B>) -> Arc<B> {
        match data {
            Cow::Borrowed(borrowed) => Arc::from(borrowed),
            Cow::Owned(owned) => Arc::from(owned),
        }
    }
}

/// The same data, seen otherwise: its references are counted together.
impl From<Arc<str>> for Arc<[u8]> {
    fn from(text: Arc<str>) -> Arc<[u8]> {
        Arc::known(text.into_real().into())
    }
}

/// The same data, if it has this length.
impl<T, const N: usize> TryFrom<Arc<[T]>> for Arc<[T; N]> {
    type Error = Arc<[T]>;

    fn try_from(items: Arc<[T]>) -> Result<Arc<[T; N]>, Arc<[T]>> {
        items.into_real().try_into().map(Arc::known).map_err(Arc::known)
    }
}

impl<T> FromIterator<T> for Arc<[T]> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Arc<[T]> {
        Arc::begin(items.into_iter().collect())
    }
}
