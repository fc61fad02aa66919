//! Instants.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use super::Duration;

/// A moment: the mirror of the type of this name in `std`, virtual in a check.
///
/// A moment of a run and one from outside cannot be compared in a meaningful way: the one from outside counts as
/// earlier, and no time lies between them.
///
/// ```
/// use raddle::time::{Duration, Instant};
///
/// raddle::check(|| {
///     let start = Instant::now();
///     raddle::thread::sleep(Duration::from_millis(5));
///     assert_eq!(Instant::now() - start, Duration::from_millis(5));
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Moment);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Moment {
    Real(std::time::Instant),
    /// Since a day before the start of the run: `std` too lets one go back a bit from the first moment.
    Virtual(Duration),
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Instant {
    /// The current moment.
    ///
    /// ```
    /// # use raddle::time::Instant;
    /// assert!(Instant::now() <= Instant::now());
    /// ```
    #[must_use]
    pub fn now() -> Instant {
        Instant(if raddle_runtime::in_run() {
            raddle_runtime::look_at_clock();
            Moment::Virtual(DAY + Duration::from_nanos(raddle_runtime::virtual_now(0)))
        } else {
            Moment::Real(std::time::Instant::now())
        })
    }

    /// The time since `earlier`, or none if that is later.
    ///
    /// ```
    /// # use raddle::time::{Duration, Instant};
    /// let start = Instant::now();
    /// let end = start + Duration::from_secs(1);
    /// assert_eq!(end.duration_since(start), Duration::from_secs(1));
    /// assert_eq!(start.duration_since(end), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// The time since `earlier`; `None` if that is later.
    ///
    /// ```
    /// # use raddle::time::{Duration, Instant};
    /// let start = Instant::now();
    /// let end = start + Duration::from_secs(1);
    /// assert_eq!(end.checked_duration_since(start), Some(Duration::from_secs(1)));
    /// assert_eq!(start.checked_duration_since(end), None);
    /// ```
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        match (self.0, earlier.0) {
            (Moment::Real(later), Moment::Real(earlier)) => later.checked_duration_since(earlier),
            (Moment::Virtual(later), Moment::Virtual(earlier)) => later.checked_sub(earlier),
            _ => None,
        }
    }

    /// The same as [`Instant::duration_since`].
    ///
    /// ```
    /// # use raddle::time::{Duration, Instant};
    /// let start = Instant::now();
    /// assert_eq!(start.saturating_duration_since(start), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }

    /// The time since this moment.
    ///
    /// ```
    /// # use raddle::time::{Duration, Instant};
    /// raddle::check(|| assert_eq!(Instant::now().elapsed(), Duration::ZERO));
    /// ```
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    /// The moment so much later; `None` if there is no such moment.
    ///
    /// ```
    /// # use raddle::time::{Duration, Instant};
    /// assert!(Instant::now().checked_add(Duration::from_secs(1)).is_some());
    /// assert!(Instant::now().checked_add(Duration::MAX).is_none());
    /// ```
    #[must_use]
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Moment::Real(moment) => Moment::Real(moment.checked_add(duration)?),
            Moment::Virtual(moment) => Moment::Virtual(moment.checked_add(duration)?),
        }))
    }

    /// The moment so much earlier; `None` if there is no such moment.
    ///
    /// ```
    /// # use raddle::time::{Duration, Instant};
    /// let end = Instant::now() + Duration::from_secs(1);
    /// assert!(end.checked_sub(Duration::from_secs(1)).is_some());
    /// ```
    #[must_use]
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Moment::Real(moment) => Moment::Real(moment.checked_sub(duration)?),
            Moment::Virtual(moment) => Moment::Virtual(moment.checked_sub(duration)?),
        }))
    }
}

/// As in `std`, also where the moment is virtual.
impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Moment::Real(moment) => fmt::Debug::fmt(moment, f),
            Moment::Virtual(moment) => f
                .debug_struct("Instant")
                .field("tv_sec", &moment.as_secs())
                .field("tv_nsec", &moment.subsec_nanos())
                .finish(),
        }
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    #[track_caller]
    fn add(self, duration: Duration) -> Instant {
        self.checked_add(duration).expect("overflow when adding duration to instant")
    }
}

impl AddAssign<Duration> for Instant {
    #[track_caller]
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    #[track_caller]
    fn sub(self, duration: Duration) -> Instant {
        self.checked_sub(duration).expect("overflow when subtracting duration from instant")
    }
}

impl SubAssign<Duration> for Instant {
    #[track_caller]
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}
