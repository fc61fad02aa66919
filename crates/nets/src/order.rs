//! The adequate orders: which of two local configurations comes first.
//!
//! Esparza, Römer and Vogler, "An improvement of McMillan's unfolding algorithm", section 4: compare the sizes, then the
//! Parikh words (the transitions sorted by number), then the Foata normal forms level by level. The orders `erv` and
//! `mole` are total on safe nets, so an event whose marking was seen before is always a cut-off.

use std::cmp::Ordering;

/// An adequate order on the local configurations of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Size, Parikh word, Foata levels; a level that is a proper prefix of another is smaller (the published order).
    #[default]
    Erv,
    /// Like `Erv`, but the shorter of two Foata levels is smaller, as in the unfolder mole.
    Mole,
    /// Size alone (McMillan). Not total: prefixes can be exponentially larger.
    Mcmillan,
}

/// A word that names no order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an order of unfoldings; there are erv, mole and mcmillan")]
pub struct UnknownOrder(pub String);

impl Order {
    /// The word that stands for the order on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Erv => "erv",
            Self::Mole => "mole",
            Self::Mcmillan => "mcmillan",
        }
    }

    /// Compares Foata normal forms of two configurations of equal Parikh words. Each is a list of (level, transition),
    /// sorted.
    pub(crate) fn compare_levels(self, left: &[Leveled], right: &[Leveled]) -> Ordering {
        match self {
            Self::Erv => compare_prefix_first(left, right),
            Self::Mole => compare_shorter_first(left, right),
            Self::Mcmillan => Ordering::Equal,
        }
    }
}

impl std::str::FromStr for Order {
    type Err = UnknownOrder;

    fn from_str(word: &str) -> Result<Self, UnknownOrder> {
        [Self::Erv, Self::Mole, Self::Mcmillan]
            .into_iter()
            .find(|order| order.name() == word)
            .ok_or_else(|| UnknownOrder(word.to_owned()))
    }
}

/// A transition at its Foata level, that is, the length of the longest chain of events that ends in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Leveled {
    pub(crate) level: u32,
    pub(crate) rank: u32,
}

fn compare_prefix_first(left: &[Leveled], right: &[Leveled]) -> Ordering {
    for (a, b) in left.iter().zip(right) {
        if a.level != b.level {
            // The one that is already on the next level has the shorter word on this one.
            return b.level.cmp(&a.level);
        }
        if a.rank != b.rank {
            return a.rank.cmp(&b.rank);
        }
    }
    left.len().cmp(&right.len())
}

fn compare_shorter_first(mut left: &[Leveled], mut right: &[Leveled]) -> Ordering {
    while let (Some(a), Some(b)) = (left.first(), right.first()) {
        let (left_level, left_rest) = left.split_at(left.partition_point(|item| item.level == a.level));
        let (right_level, right_rest) = right.split_at(right.partition_point(|item| item.level == b.level));
        let order = left_level.len().cmp(&right_level.len()).then_with(|| left_level.cmp(right_level));
        if order.is_ne() {
            return order;
        }
        left = left_rest;
        right = right_rest;
    }
    left.len().cmp(&right.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(words: &[&[u32]]) -> Vec<Leveled> {
        let mut list = Vec::new();
        for (level, word) in (0..).zip(words) {
            list.extend(word.iter().map(|&rank| Leveled { level, rank }));
        }
        list
    }

    #[test]
    fn a_proper_prefix_of_a_level_is_smaller() {
        let (short, long) = (levels(&[&[3], &[1, 2]]), levels(&[&[3, 4], &[1]]));
        assert_eq!(Order::Erv.compare_levels(&short, &long), Ordering::Less);
        assert_eq!(Order::Mole.compare_levels(&short, &long), Ordering::Less);
    }

    #[test]
    fn mole_asks_for_the_length_of_a_level_first() {
        let (short, long) = (levels(&[&[3], &[1, 2]]), levels(&[&[1, 2], &[3]]));
        assert_eq!(Order::Erv.compare_levels(&short, &long), Ordering::Greater);
        assert_eq!(Order::Mole.compare_levels(&short, &long), Ordering::Less);
    }

    #[test]
    fn orders_are_found_by_their_names() {
        assert_eq!("mole".parse(), Ok(Order::Mole));
        assert_eq!("ERV".parse::<Order>(), Err(UnknownOrder("ERV".to_owned())));
    }
}
