//! Values of atomics: numbers, or names for what looks like an address.

use raddle_trace::limits::{FIRST_HANDLE, HANDLE_DISTANCE, MAX_THREADS};
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
        Values::beside(&Values { addresses: Vec::new() }, run)
    }

    /// The same for a run that is shown beside another: an address that was named there keeps its name.
    pub(crate) fn beside(known: &Values, run: &Run) -> Values {
        let mut addresses = known.addresses.clone();
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
        number(value)
    }
}

/// A number in a few letters, whatever else the run does with it.
pub(crate) fn number(value: i64) -> String {
    match thread_of(value) {
        Some(thread) => format!("handle of T{thread}"),
        None if (-SMALL..=SMALL).contains(&value) => value.to_string(),
        None => format!("{value:#x}"),
    }
}

/// The number of the thread whose name in a C program (`pthread_t`) this is.
fn thread_of(value: i64) -> Option<u64> {
    let distance = (value as u64).checked_sub(FIRST_HANDLE)?;
    let number = distance / HANDLE_DISTANCE;
    (distance.is_multiple_of(HANDLE_DISTANCE) && number < MAX_THREADS as u64).then_some(number)
}

fn looks_like_address(value: i64) -> bool {
    value > SMALL && value < HIGHEST_ADDRESS
}

fn is_memory(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Load | Store | ReadModifyWrite | CompareExchange | WeakCompareExchange | Add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handle_of_a_thread_is_called_after_the_thread() {
        let values = Values::of(&Run::default());
        assert_eq!(values.show((FIRST_HANDLE + 3 * HANDLE_DISTANCE) as i64), "handle of T3");
        assert_eq!(values.show((FIRST_HANDLE + 1) as i64), format!("{:#x}", FIRST_HANDLE + 1));
        assert_eq!(values.show(-7), "-7");
    }
}
