//! What calls of functions do to memory that the compiler knows: the copying and filling functions, and the atomics of
//! libatomic, which clang calls for objects that no instruction can handle at once.

use crate::accesses::{Access, Operand, Order, Size};
use crate::llvm::{Module, Value};
use crate::private::Private;
use crate::texts;

/// What a call does to memory that another thread may touch. Only functions that the program does not define itself count.
pub(crate) fn of(module: Module, call: Value, private: &mut Private) -> Vec<Access> {
    let Some(callee) = call.callee().filter(|callee| callee.is_declaration()) else { return Vec::new() };
    let name = callee.name();
    let arguments = call.arguments();
    match name.strip_prefix("__atomic_") {
        Some(operation) => atomic(operation, &arguments, private).into_iter().collect(),
        None if name.starts_with("llvm.masked.") => {
            masked(module, call, &name, &arguments, private).into_iter().collect()
        }
        None => memory(&name, &arguments, private),
    }
}

/// The functions of `string.h` that say how many bytes they touch, as intrinsics of LLVM or by their own names.
fn memory(name: &str, arguments: &[Value], private: &mut Private) -> Vec<Access> {
    let name = name.strip_prefix("llvm.").map_or(name, |rest| rest.split('.').next().unwrap_or(rest));
    let plain = name.strip_prefix("__").and_then(|name| name.strip_suffix("_chk"));
    let (name, fortified) = (plain.unwrap_or(name), plain.is_some());
    match (name, arguments) {
        ("memcpy" | "memmove" | "mempcpy", [to, from, size, ..]) => {
            let (to, from, size) = (*to, *from, Size::Computed(*size));
            match (private.covers(to), private.covers_read(from)) {
                (true, true) => vec![],
                (true, false) => vec![Access::Read { at: from, size }],
                (false, _) => vec![Access::Copy { to, from, size }],
            }
        }
        ("memset", [to, byte, size, ..]) if !private.covers(*to) => {
            vec![Access::Fill { to: *to, size: Size::Computed(*size), byte: *byte }]
        }
        ("memcmp" | "bcmp", [one, other, size]) => [*one, *other]
            .into_iter()
            .filter(|at| !private.covers_read(*at))
            .map(|at| Access::Read { at, size: Size::Computed(*size) })
            .collect(),
        ("bzero" | "explicit_bzero", [to, size]) if !private.covers(*to) => {
            vec![Access::Fill { to: *to, size: Size::Computed(*size), byte: size.type_of().null() }]
        }
        _ => texts::of(name, fortified, arguments, private),
    }
}

/// Vectors of which some lanes are left out: taken for whole ones.
fn masked(
    module: Module,
    call: Value,
    name: &str,
    arguments: &[Value],
    private: &mut Private,
) -> Option<Access> {
    let size = |of: Value| Size::Known(module.store_size(of.type_of()));
    match (name.split('.').nth(2)?, arguments) {
        ("load", [at, ..]) if !private.covers_read(*at) => Some(Access::Read { at: *at, size: size(call) }),
        ("store", [value, at, ..]) if !private.covers(*at) => {
            Some(Access::Write { at: *at, size: size(*value), value: Operand::Value(*value) })
        }
        _ => None,
    }
}

/// `__atomic_load(size, at, to, order)` for objects of any size, `__atomic_load_8(at, order)` for those of a given one, and so
/// on.
fn atomic(operation: &str, arguments: &[Value], private: &mut Private) -> Option<Access> {
    let sized = operation.rsplit_once('_').and_then(|(name, size)| Some((name, size.parse::<u64>().ok()?)));
    let access = match sized {
        Some((name, size)) => sized_atomic(name, Size::Known(size), arguments)?,
        None => {
            let (size, arguments) = arguments.split_first()?;
            any_atomic(operation, Size::Computed(*size), arguments)?
        }
    };
    access.pointer().is_some_and(|at| !private.covers(at)).then_some(access)
}

fn any_atomic(name: &str, size: Size, arguments: &[Value]) -> Option<Access> {
    match (name, arguments) {
        ("load", [at, _, order]) => Some(Access::Load { at: *at, size, order: order_of(*order) }),
        ("store", [at, from, order]) => {
            Some(Access::Store { at: *at, size, value: Operand::At(*from), order: order_of(*order) })
        }
        ("exchange", [at, from, _, order]) => Some(Access::Rmw {
            at: *at,
            size,
            operation: 0,
            operand: Operand::At(*from),
            order: order_of(*order),
        }),
        ("compare_exchange", [at, expected, desired, success, failure]) => Some(Access::CompareExchange {
            at: *at,
            size,
            expected: Operand::At(*expected),
            desired: Operand::At(*desired),
            weak: false,
            success: order_of(*success),
            failure: order_of(*failure),
        }),
        _ => None,
    }
}

fn sized_atomic(name: &str, size: Size, arguments: &[Value]) -> Option<Access> {
    match (name, arguments) {
        ("load", [at, order]) => Some(Access::Load { at: *at, size, order: order_of(*order) }),
        ("store", [at, value, order]) => {
            Some(Access::Store { at: *at, size, value: Operand::Value(*value), order: order_of(*order) })
        }
        ("compare_exchange", [at, expected, desired, success, failure]) => Some(Access::CompareExchange {
            at: *at,
            size,
            expected: Operand::At(*expected),
            desired: Operand::Value(*desired),
            weak: false,
            success: order_of(*success),
            failure: order_of(*failure),
        }),
        (_, [at, operand, order]) => Some(Access::Rmw {
            at: *at,
            size,
            operation: match name {
                "exchange" => 0,
                "fetch_add" | "add_fetch" => 1,
                "fetch_sub" | "sub_fetch" => 2,
                "fetch_and" | "and_fetch" => 3,
                "fetch_nand" | "nand_fetch" => 4,
                "fetch_or" | "or_fetch" => 5,
                "fetch_xor" | "xor_fetch" => 6,
                _ => return None,
            },
            operand: Operand::Value(*operand),
            order: order_of(*order),
        }),
        _ => None,
    }
}

/// The order as a number of C11. One that the program computes may be any: the strongest is right for all.
fn order_of(order: Value) -> Order {
    match order.as_constant() {
        Some(0) => Order::Relaxed,
        Some(1 | 2) => Order::Acquire,
        Some(3) => Order::Release,
        Some(4) => Order::AcquireRelease,
        _ => Order::SequentiallyConsistent,
    }
}
