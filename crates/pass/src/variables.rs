//! Local variables whose address others may know: the runtime hears when they come into being, and when their function returns.
//!
//! ```c
//! if (__raddle_active) __raddle_born(&variable, sizeof variable);           // on entry
//! if (__raddle_active) __raddle_left(&variable, sizeof variable, &site);    // on return
//! ```

use llvm_sys::LLVMOpcode;

use crate::frames::before_end;
use crate::llvm::{Builder, Module, Place, Type, Value, guard};
use crate::runtime::{Function, Runtime};
use crate::sites::Sites;

/// A variable on the stack.
pub(crate) struct Variable {
    at: Value,
    of: Type,
    /// Its name in the source.
    name: Option<String>,
}

/// The variables of a function whose address others may know. Asked for before anything is changed.
pub(crate) fn find(function: Value) -> Vec<Variable> {
    let allocas = function.instructions().into_iter().filter(|each| each.is_alloca());
    let allocas = allocas.map(|each| (each, each.allocated_type()));
    let shared = allocas.chain(function.copied_parameters()).filter(|(each, _)| each.is_captured());
    shared.map(|(at, of)| Variable { at, of, name: at.variable() }).collect()
}

/// Tells the runtime of them. Done last: the calls part the first block of the function.
pub(crate) fn emit(
    module: Module,
    runtime: &Runtime,
    function: Value,
    variables: &[Variable],
    place: impl Fn(Value) -> Place,
    sites: &mut Sites,
) {
    let Some(entry) = function.blocks().first().copied() else { return };
    let ends: Vec<Value> = function
        .instructions()
        .into_iter()
        .filter(|each| matches!(each.opcode(), LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume))
        .collect();
    let is_fixed =
        |at: Value| !at.is_alloca() || at.block() == entry && at.operand(0).as_constant().is_some();
    // When main returns, the program ends; and a coroutine goes on in another frame than it began in.
    let stays = function.name() == "main" || function.has_attribute("presplitcoroutine");
    for variable in variables.iter().filter(|variable| !stays && is_fixed(variable.at)) {
        for end in &ends {
            let site = sites.site(&place(*end), variable.name.clone());
            call(module, runtime, runtime.left, variable, before_end(*end), &[site]);
        }
    }
    for variable in variables {
        let first = if is_fixed(variable.at) { Some(entry.entry_place()) } else { variable.at.next() };
        if let Some(first) = first {
            call(module, runtime, runtime.born, variable, first, &[]);
        }
    }
}

fn call(
    module: Module,
    runtime: &Runtime,
    hook: Function,
    variable: &Variable,
    before: Value,
    more: &[Value],
) {
    let inside = guard(before, runtime.is_active(module, &Builder::before(module, before)));
    let builder = Builder::before(module, inside);
    let wide = module.integer(64);
    let one = wide.constant(module.size(variable.of));
    let size = match variable.at.is_alloca() {
        true => builder.times(one, builder.resize(variable.at.operand(0), wide)),
        false => one,
    };
    let arguments: Vec<Value> = [variable.at, size].into_iter().chain(more.iter().copied()).collect();
    builder.call(hook.function, hook.of, &arguments);
}
