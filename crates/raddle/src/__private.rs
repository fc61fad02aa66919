//! What `#[raddle::test]` needs of the library. Not for use by hand.

use std::fmt::Debug;

/// What a test function may return.
pub trait Outcome {
    /// Panics unless the test was successful.
    fn expect_success(self);
}

impl Outcome for () {
    fn expect_success(self) {}
}

impl<E: Debug> Outcome for Result<(), E> {
    #[track_caller]
    fn expect_success(self) {
        if let Err(error) = self {
            panic!("the test returned an error: {error:?}");
        }
    }
}
