//! The possible extensions that wait for their turn, smallest first.
//!
//! A binary heap of its own, because comparing two extensions may need the occurrence net: the Foata levels are computed
//! when sizes and Parikh words tie, which is rare (0.3 % of comparisons), and kept from then on.

use std::cmp::Ordering;

use crate::occurrence::{Occurrence, Walker};
use crate::order::{Leveled, Order};

/// A possible extension: a transition and the conditions that it would consume.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extension {
    pub(crate) transition: u32,
    pub(crate) rank: u32,
    /// Where its preset begins in the occurrence net's `presets`.
    pub(crate) preset: u32,
    pub(crate) preset_length: u32,
    pub(crate) size: u32,
    pub(crate) level: u32,
    /// The hash of the marking that it leads to, relative to the initial marking.
    pub(crate) hash: u64,
    /// The Parikh word; empty under the order that does not ask for it.
    pub(crate) word: Vec<u32>,
    /// The Foata normal form; empty until somebody asks.
    pub(crate) levels: Vec<Leveled>,
}

/// Extensions in a heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    heap: Vec<u32>,
    items: Vec<Extension>,
    free: Vec<u32>,
    words: usize,
    walker: Walker,
}

impl Queue {
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// Bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.items.len() * (size_of::<Extension>() + 4) + self.words * 4
    }

    /// The presets of all extensions that wait.
    pub(crate) fn presets<'a>(&'a self, net: &'a Occurrence) -> impl Iterator<Item = &'a [u32]> {
        self.heap.iter().map(|&index| {
            let item = &self.items[index as usize];
            &net.presets[item.preset as usize..(item.preset + item.preset_length) as usize]
        })
    }

    pub(crate) fn push(&mut self, item: Extension, order: Order, net: &Occurrence) {
        self.words += item.word.len();
        let index = match self.free.pop() {
            Some(index) => {
                self.items[index as usize] = item;
                index
            }
            None => {
                self.items.push(item);
                (self.items.len() - 1) as u32
            }
        };
        self.heap.push(index);
        let mut child = self.heap.len() - 1;
        while child > 0 {
            let parent = (child - 1) / 2;
            if !self.is_before(child, parent, order, net) {
                break;
            }
            self.heap.swap(child, parent);
            child = parent;
        }
    }

    pub(crate) fn pop(&mut self, order: Order, net: &Occurrence) -> Option<Extension> {
        let last = self.heap.len().checked_sub(1)?;
        self.heap.swap(0, last);
        let index = self.heap.pop()?;
        let mut parent = 0;
        loop {
            let (left, right) = (2 * parent + 1, 2 * parent + 2);
            if left >= self.heap.len() {
                break;
            }
            let right_is_before = right < self.heap.len() && self.is_before(right, left, order, net);
            let child = if right_is_before { right } else { left };
            if !self.is_before(child, parent, order, net) {
                break;
            }
            self.heap.swap(child, parent);
            parent = child;
        }
        self.free.push(index);
        let item = std::mem::take(&mut self.items[index as usize]);
        self.words -= item.word.len();
        Some(item)
    }

    fn is_before(&mut self, left: usize, right: usize, order: Order, net: &Occurrence) -> bool {
        let (left, right) = (self.heap[left] as usize, self.heap[right] as usize);
        let (a, b) = (&self.items[left], &self.items[right]);
        let coarse = a.size.cmp(&b.size).then_with(|| a.word.cmp(&b.word));
        let compared = coarse.then_with(|| self.compare_levels(left, right, order, net));
        // Extensions that tie (only McMillan's order has them) go in the order in which their presets were found.
        compared.then_with(|| self.items[left].preset.cmp(&self.items[right].preset)) == Ordering::Less
    }

    fn compare_levels(&mut self, left: usize, right: usize, order: Order, net: &Occurrence) -> Ordering {
        if order == Order::Mcmillan {
            return Ordering::Equal;
        }
        for index in [left, right] {
            let item = &mut self.items[index];
            if item.levels.is_empty() {
                let preset = item.preset as usize..(item.preset + item.preset_length) as usize;
                self.walker.causes(net, &net.presets[preset]);
                self.walker.levels(net, &mut item.levels);
                item.levels.push(Leveled { level: item.level, rank: item.rank });
            }
        }
        order.compare_levels(&self.items[left].levels, &self.items[right].levels)
    }
}
