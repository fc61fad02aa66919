//! Values of atomics: numbers, or names for what looks like an address.

use raddle_trace::{Kind, Run};

/// Numbers up to this size are shown as they are.
const SMALL: i64 = 1 << 32;
/// Addresses of a program are below this.
const HIGHEST_ADDRESS: i64 = 1 << 47;

/// Names for the values of a run that look like addresses, in the order in which they appear: an address itself says
/// nothing, and differs from run to run.
pub(crate) struct Values {
    addresses: Vec<i64>,
}

impl Values {
    pub(crate) fn of(run: &Run) -> Values {
        let mut addresses = Vec::new();
        for event in run.events.iter().filter(|event| is_memory(event.operation.kind)) {
            for value in [event.before, event.operation.operand as i64, event.value] {
                if looks_like_address(value) && !addresses.contains(&value) && addresses.len() < 1_000 {
                    addresses.push(value);
                }
            }
        }
        Values { addresses }
    }

    /// The value in a few letters.
    pub(crate) fn show(&self, value: i64) -> String {
        if let Some(number) = self.addresses.iter().position(|address| *address == value) {
            return format!("ptr {}", number + 1);
        }
        if (-SMALL..=SMALL).contains(&value) { value.to_string() } else { format!("{value:#x}") }
    }
}

fn looks_like_address(value: i64) -> bool {
    value > SMALL && value < HIGHEST_ADDRESS
}

fn is_memory(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Load | Store | ReadModifyWrite | CompareExchange | WeakCompareExchange)
}
