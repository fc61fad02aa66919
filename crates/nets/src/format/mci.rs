//! MCI: the binary format in which unfolders hand prefixes to checkers (Khomenko's description).
//!
//! Little-endian 32-bit numbers, counted from 1; 0 ends a list, stands for the initial marking, and for no producer.

use crate::net::Net;
use crate::unfolded::Unfolded;
use crate::unfolder::{Companion, Status};

/// Stands for a cut-off whose companion is not known.
const UNSPECIFIED: u32 = u32::MAX;

/// Writes a prefix of a net as MCI.
#[must_use]
pub fn write_mci(net: &Net, prefix: &Unfolded) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
    put(prefix.conditions.len() as u32);
    put(prefix.events.len() as u32);
    let mut consumers = vec![Vec::new(); prefix.conditions.len()];
    for (number, event) in prefix.numbered() {
        put(event.transition.0 + 1);
        for condition in &event.preset {
            consumers[condition.index()].push(number.0 + 1);
        }
    }
    for (condition, consumers) in prefix.conditions.iter().zip(&consumers) {
        put(condition.place.0 + 1);
        put(condition.producer.map_or(0, |event| event.0 + 1));
        consumers.iter().for_each(|&event| put(event));
        put(0);
    }
    for (number, event) in prefix.numbered() {
        if let Status::CutOff(companion) = event.status {
            put(number.0 + 1);
            put(match companion {
                Some(Companion::Initial) => 0,
                Some(Companion::Event(event)) => event.0 + 1,
                None => UNSPECIFIED,
            });
        }
    }
    // The end of the cut-offs, and of a list of configurations that nobody uses any more.
    put(0);
    put(0);
    let places: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
    let transitions: Vec<&str> =
        net.transitions().map(|transition| net.transition_name(transition)).collect();
    let longest = places.iter().chain(&transitions).map(|name| name.len()).max().unwrap_or(0);
    put(net.places().len() as u32);
    put(net.transitions().len() as u32);
    put(longest as u32);
    for name in places {
        put_name(&mut bytes, name);
    }
    bytes.push(0);
    for name in transitions {
        put_name(&mut bytes, name);
    }
    bytes.push(0);
    bytes
}

/// A name as C writes it. A name must not be empty or hold a zero, which would end it.
fn put_name(bytes: &mut Vec<u8>, name: &str) {
    if name.is_empty() {
        bytes.push(b'_');
    }
    bytes.extend(name.bytes().map(|byte| if byte == 0 { b'_' } else { byte }));
    bytes.push(0);
}
