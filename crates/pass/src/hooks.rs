//! The calls before accesses: `if (__raddle_active) __raddle_read(address, size, &site);`

use crate::accesses::{Access, Called, Operand, Size};
use crate::calls::replace_in;
use crate::llvm::{Builder, Module, Value, guard};
use crate::runtime::{Function, Runtime};

/// Puts the call of the hook before the instruction.
pub(crate) fn emit(module: Module, runtime: &Runtime, instruction: Value, access: &Access, site: Value) {
    // What a function has written is known when it has returned.
    let after = matches!(access, Access::Library(called) if called.after);
    let Some(before) = (if after { instruction.next() } else { Some(instruction) }) else { return };
    let told = instruction;
    let instruction = before;
    let builder = Builder::before(module, instruction);
    let fickle = matches!(access, Access::CompareExchange { weak: true, .. });
    let failed = fickle.then(|| {
        let failed = Builder::before(module, first_place(instruction)).alloca(module.integer(8));
        builder.store(module.integer(8).null(), failed);
        failed
    });
    let inside = guard(instruction, runtime.is_active(module, &builder));
    let builder = Builder::before(module, inside);
    let (hook, arguments) = match access {
        Access::Library(called) => library(module, runtime, &builder, called, told, site),
        access => call(module, runtime, &builder, access, site),
    };
    let answer = builder.call(hook.function, hook.of, &arguments);
    if let Some(failed) = failed {
        builder.store(answer, failed);
        let builder = Builder::before(module, instruction);
        may_fail(module, instruction, builder.is_not_zero(builder.load(module.integer(8), failed)));
    }
}

/// Where variables of the function of an instruction are made.
fn first_place(instruction: Value) -> Value {
    instruction.block().function().blocks().first().map_or(instruction, |entry| entry.entry_place())
}

/// A compare-exchange that fails for no reason if told so: it then writes what is there already, and says that it failed.
fn may_fail(module: Module, exchange: Value, fails: Value) {
    let (expected, desired) = (exchange.operand(1), exchange.operand(2));
    exchange.set_operand(2, Builder::before(module, exchange).select(fails, expected, desired));
    let Some(next) = exchange.next() else { return };
    let users = exchange.users();
    let builder = Builder::before(module, next);
    let done = builder.part(exchange, 1);
    let done = builder.select(fails, done.type_of().null(), done);
    replace_in(&users, exchange, builder.with_part(exchange, done, 1));
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
        Access::Library(_) => unreachable!("bug in raddle: told in its own way"),
    }
}

/// The same for a function of the C library.
fn library(
    module: Module,
    runtime: &Runtime,
    builder: &Builder,
    called: &Called,
    instruction: Value,
    site: Value,
) -> (Function, Vec<Value>) {
    let (wide, word) = (module.integer(64), module.integer(32));
    let number =
        |value: Option<Value>| value.map_or(wide.constant(0), |value| as_number(module, builder, value));
    let [first, second, mut third] = called.arguments;
    if called.after {
        third = Some(instruction);
    }
    let arguments = vec![
        word.constant(u64::from(called.function)),
        word.constant(u64::from(called.shared)),
        number(first),
        number(second),
        number(third),
        site,
    ];
    (runtime.library, arguments)
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
