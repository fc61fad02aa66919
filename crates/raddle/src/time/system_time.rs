//! Dates.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use super::{Duration, SystemTimeError};

/// Where the date of a run begins: the first of January 2020.
const START: Duration = Duration::from_secs(1_577_836_800);

/// The beginning of 1970.
///
/// ```
/// use raddle::time::{SystemTime, UNIX_EPOCH};
///
/// assert!(SystemTime::now().duration_since(UNIX_EPOCH).is_ok());
/// ```
pub const UNIX_EPOCH: SystemTime = SystemTime::UNIX_EPOCH;

/// A date: the mirror of the type of this name in `std`, virtual in a check.
///
/// Every run begins at the same date, and nobody turns the clock back. A date of `std` becomes one of these by `from`, and the other
/// way round, for what asks for one of `std`, such as files.
///
/// ```
/// use raddle::time::{Duration, SystemTime};
///
/// raddle::check(|| {
///     let start = SystemTime::now();
///     raddle::thread::sleep(Duration::from_secs(5));
///     assert_eq!(start.elapsed().unwrap(), Duration::from_secs(5));
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemTime(std::time::SystemTime);

impl SystemTime {
    /// The beginning of 1970.
    ///
    /// ```
    /// # use raddle::time::SystemTime;
    /// assert!(SystemTime::UNIX_EPOCH < SystemTime::now());
    /// ```
    pub const UNIX_EPOCH: SystemTime = SystemTime(std::time::UNIX_EPOCH);

    /// The current date.
    ///
    /// ```
    /// # use raddle::time::SystemTime;
    /// raddle::check(|| assert_eq!(SystemTime::now(), SystemTime::now()));
    /// ```
    #[must_use]
    pub fn now() -> SystemTime {
        SystemTime(if raddle_runtime::in_run() {
            raddle_runtime::look_at_clock();
            std::time::UNIX_EPOCH + START + Duration::from_nanos(raddle_runtime::virtual_now(0))
        } else {
            std::time::SystemTime::now()
        })
    }

    /// The time since `earlier`.
    ///
    /// # Errors
    /// If that is later; the error says by how much.
    ///
    /// ```
    /// # use raddle::time::{Duration, UNIX_EPOCH};
    /// let later = UNIX_EPOCH + Duration::from_secs(1);
    /// assert_eq!(later.duration_since(UNIX_EPOCH).unwrap(), Duration::from_secs(1));
    /// assert_eq!(UNIX_EPOCH.duration_since(later).unwrap_err().duration(), Duration::from_secs(1));
    /// ```
    pub fn duration_since(&self, earlier: SystemTime) -> Result<Duration, SystemTimeError> {
        self.0.duration_since(earlier.0)
    }

    /// The time since this date.
    ///
    /// # Errors
    /// If this date is yet to come; the error says by how much.
    ///
    /// ```
    /// # use raddle::time::SystemTime;
    /// assert!(SystemTime::UNIX_EPOCH.elapsed().is_ok());
    /// ```
    pub fn elapsed(&self) -> Result<Duration, SystemTimeError> {
        SystemTime::now().duration_since(*self)
    }

    /// The date so much later; `None` if there is no such date.
    ///
    /// ```
    /// # use raddle::time::{Duration, UNIX_EPOCH};
    /// assert!(UNIX_EPOCH.checked_add(Duration::from_secs(1)).is_some());
    /// assert!(UNIX_EPOCH.checked_add(Duration::MAX).is_none());
    /// ```
    #[must_use]
    pub fn checked_add(&self, duration: Duration) -> Option<SystemTime> {
        self.0.checked_add(duration).map(SystemTime)
    }

    /// The date so much earlier; `None` if there is no such date.
    ///
    /// ```
    /// # use raddle::time::{Duration, UNIX_EPOCH};
    /// assert!(UNIX_EPOCH.checked_sub(Duration::from_secs(1)).is_some());
    /// ```
    #[must_use]
    pub fn checked_sub(&self, duration: Duration) -> Option<SystemTime> {
        self.0.checked_sub(duration).map(SystemTime)
    }
}

impl fmt::Debug for SystemTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl From<std::time::SystemTime> for SystemTime {
    fn from(date: std::time::SystemTime) -> SystemTime {
        SystemTime(date)
    }
}

impl From<SystemTime> for std::time::SystemTime {
    fn from(date: SystemTime) -> std::time::SystemTime {
        date.0
    }
}

impl Add<Duration> for SystemTime {
    type Output = SystemTime;

    #[track_caller]
    fn add(self, duration: Duration) -> SystemTime {
        SystemTime(self.0 + duration)
    }
}

impl AddAssign<Duration> for SystemTime {
    #[track_caller]
    fn add_assign(&mut self, duration: Duration) {
        self.0 += duration;
    }
}

impl Sub<Duration> for SystemTime {
    type Output = SystemTime;

    #[track_caller]
    fn sub(self, duration: Duration) -> SystemTime {
        SystemTime(self.0 - duration)
    }
}

impl SubAssign<Duration> for SystemTime {
    #[track_caller]
    fn sub_assign(&mut self, duration: Duration) {
        self.0 -= duration;
    }
}
