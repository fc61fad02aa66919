//! Numbers of places, transitions, conditions and events.
//!
//! All four are indices from 0 in the order of creation. They are `u32`, because a prefix has millions of them and the
//! concurrency relation consists of little else.

/// Makes one kind of number.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

id! {
    /// A place of a net.
    PlaceId
}
id! {
    /// A transition of a net.
    TransitionId
}
id! {
    /// A condition of an unfolding: one token on one place, together with its history.
    ConditionId
}
id! {
    /// An event of an unfolding: one firing of one transition, together with its history.
    EventId
}
