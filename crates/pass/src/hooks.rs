//! The calls before accesses: `if (__raddle_active) __raddle_read(address, size, &site);`

use crate::accesses::{self, Access, Size};
use crate::llvm::{Builder, Module, Place, Value, guard};
use crate::private::Private;
use crate::runtime::{Function, Runtime};
use crate::sites::Sites;

/// Instruments every function of a module.
pub(crate) fn instrument(module: Module) {
    let functions = module.functions();
    let runtime = Runtime::declare(module);
    let mut sites = Sites::new(module);
    for function in functions.into_iter().filter(|function| !function.is_declaration()) {
        let mut private = Private::default();
        let mut found = Vec::new();
        for instruction in function.instructions() {
            if let Some(access) = accesses::of(module, instruction, &mut private) {
                found.push((instruction, access));
            }
        }
        for (instruction, access) in found {
            let place = place_of(function, instruction);
            let site = sites.site(&place, None);
            emit(module, &runtime, instruction, &access, site);
        }
    }
}

/// Where an instruction stands; in code without debug information only the function is known.
fn place_of(function: Value, instruction: Value) -> Place {
    instruction.place().unwrap_or_else(|| Place {
        file: String::new(),
        function: function.name(),
        line: 0,
        column: 0,
    })
}

/// Puts the call of the hook before the instruction.
fn emit(module: Module, runtime: &Runtime, instruction: Value, access: &Access, site: Value) {
    let builder = Builder::before(module, instruction);
    let active = builder.load(module.integer(8), runtime.active);
    // Whether a run is controlled is settled before the program starts. Told so, LLVM asks once for a whole loop.
    module.mark_invariant(active);
    let condition = builder.is_not_zero(active);
    let inside = guard(instruction, condition);
    let (hook, arguments) = call(module, runtime, &Builder::before(module, inside), access, site);
    Builder::before(module, inside).call(hook.function, hook.of, &arguments);
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
    let number = |value: Option<Value>| value.map_or(wide(0), |value| as_number(module, builder, value));
    match *access {
        Access::Read { at, size } => (runtime.read, vec![at, bytes(size), site]),
        Access::Write { at, size, value } => (runtime.write, vec![at, bytes(size), number(value), site]),
        Access::Copy { to, from, size } => (runtime.copy, vec![to, from, bytes(size), site]),
        Access::Fill { to, size, byte } => {
            (runtime.fill, vec![to, bytes(size), builder.resize(byte, module.integer(64)), site])
        }
        Access::Load { at, size, order } => (runtime.load, vec![at, wide(size), word(order as u32), site]),
        Access::Store { at, size, value, order } => {
            (runtime.store, vec![at, wide(size), number(value), word(order as u32), site])
        }
        Access::Rmw { at, size, operation, operand, order } => {
            (runtime.rmw, vec![at, wide(size), word(operation), number(operand), word(order as u32), site])
        }
        Access::CompareExchange { at, size, expected, desired, weak, success, failure } => (
            runtime.compare_exchange,
            vec![
                at,
                wide(size),
                number(Some(expected)),
                number(Some(desired)),
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
