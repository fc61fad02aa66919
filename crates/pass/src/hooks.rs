//! The calls before accesses: `if (__raddle_active) __raddle_read(address, size, &site);`

use crate::accesses::{Access, Operand, Size};
use crate::llvm::{Builder, Module, Value, guard};
use crate::runtime::{Function, Runtime};

/// Puts the call of the hook before the instruction.
pub(crate) fn emit(module: Module, runtime: &Runtime, instruction: Value, access: &Access, site: Value) {
    let builder = Builder::before(module, instruction);
    let inside = guard(instruction, runtime.is_active(module, &builder));
    let builder = Builder::before(module, inside);
    let (hook, arguments) = call(module, runtime, &builder, access, site);
    builder.call(hook.function, hook.of, &arguments);
}

/// Which hook tells of an access, and with which arguments.
fn call(
    module: Module,
    runtime: &Runtime,
    builder: &Builder,
    access: &Access,
    site: Value,
) -> (Function, Vec<Value>) {
    let wide = |value: u64| module.integer(64).constant(value);
    let word = |value: u32| module.integer(32).constant(u64::from(value));
    let bytes = |size: Size| match size {
        Size::Known(size) => wide(size),
        Size::Computed(size) => builder.resize(size, module.integer(64)),
    };
    let number = |operand: Operand, size: Size| match operand {
        Operand::Value(value) => as_number(module, builder, value),
        Operand::At(address) => number_at(module, builder, address, size),
    };
    match *access {
        Access::Read { at, size } => (runtime.read, vec![at, bytes(size), site]),
        Access::Write { at, size, value } => {
            (runtime.write, vec![at, bytes(size), number(value, size), site])
        }
        Access::Copy { to, from, size } => (runtime.copy, vec![to, from, bytes(size), site]),
        Access::Fill { to, size, byte } => {
            (runtime.fill, vec![to, bytes(size), builder.resize(byte, module.integer(64)), site])
        }
        Access::Load { at, size, order } => (runtime.load, vec![at, bytes(size), word(order as u32), site]),
        Access::Store { at, size, value, order } => {
            (runtime.store, vec![at, bytes(size), number(value, size), word(order as u32), site])
        }
        Access::Rmw { at, size, operation, operand, order } => (
            runtime.rmw,
            vec![at, bytes(size), word(operation), number(operand, size), word(order as u32), site],
        ),
        Access::CompareExchange { at, size, expected, desired, weak, success, failure } => (
            runtime.compare_exchange,
            vec![
                at,
                bytes(size),
                number(expected, size),
                number(desired, size),
                word(u32::from(weak)),
                word(success as u32),
                word(failure as u32),
                site,
            ],
        ),
        Access::Fence { order } => (runtime.fence, vec![word(order as u32), site]),
    }
}

/// A value of at most eight bytes as a number without sign; 0 for anything larger.
fn as_number(module: Module, builder: &Builder, value: Value) -> Value {
    use llvm_sys::LLVMTypeKind::*;
    let wide = module.integer(64);
    let of = value.type_of();
    let size = module.store_size(of);
    if size > 8 {
        return wide.constant(0);
    }
    match of.kind() {
        LLVMPointerTypeKind => builder.pointer_to_integer(value, wide),
        LLVMIntegerTypeKind => builder.resize(value, wide),
        LLVMHalfTypeKind | LLVMBFloatTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind => {
            builder.resize(builder.bit_cast(value, module.integer(8 * size as u32)), wide)
        }
        _ => wide.constant(0),
    }
}

/// What lies at an address as a number, if it is known to have at most eight bytes; else 0.
fn number_at(module: Module, builder: &Builder, address: Value, size: Size) -> Value {
    let size = match size {
        Size::Known(size) => Some(size),
        Size::Computed(size) => size.as_constant(),
    };
    match size.filter(|size| (1..=8).contains(size)) {
        Some(size) => {
            let value = builder.load_bytes(module.integer(8 * size as u32), address);
            builder.resize(value, module.integer(64))
        }
        None => module.integer(64).constant(0),
    }
}
