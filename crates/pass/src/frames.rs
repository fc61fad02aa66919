//! The shadow call stack: a function that calls something has a frame, which names the place of the call.
//!
//! ```c
//! struct raddle_frame frame;
//! frame = { __raddle_top, NULL }; __raddle_top = &frame;   // on entry
//! frame.call = &site;                                      // before each call
//! __raddle_top = frame.up;                                 // on return, and before an exception leaves
//! __raddle_top = &frame;                                   // in a landing pad, and after a second return of setjmp
//! ```

use std::collections::{BTreeMap, BTreeSet};

use llvm_sys::LLVMOpcode;

use crate::llvm::{Builder, Module, Value};
use crate::runtime::Runtime;

/// A call that has to be named in the frame, and its site.
pub(crate) struct Call {
    pub(crate) instruction: Value,
    pub(crate) site: Value,
}

/// Gives a function its frame.
pub(crate) fn emit(module: Module, runtime: &Runtime, function: Value, calls: &[Call]) {
    // A coroutine goes on in another frame than it began in.
    if calls.is_empty() || function.has_attribute("presplitcoroutine") || function.has_attribute("naked") {
        return;
    }
    let instructions = function.instructions();
    let Some(entry) = function.blocks().first().copied() else { return };
    let builder = Builder::before(module, entry.entry_place());
    let frame = builder.alloca(runtime.frame);
    let up = builder.load(module.pointer(), runtime.top);
    builder.store(up, builder.field(runtime.frame, frame, 0));
    builder.store(frame, runtime.top);
    // The runtime may look at the frame before the first call that is named.
    builder.store(module.pointer().null(), builder.field(runtime.frame, frame, 1));
    for call in calls {
        let builder = Builder::before(module, call.instruction);
        builder.store(call.site, builder.field(runtime.frame, frame, 1));
    }
    for instruction in instructions {
        if matches!(instruction.opcode(), LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume) {
            Builder::before(module, before_end(instruction)).store(up, runtime.top);
        } else if let Some(place) = place_of_return(instruction) {
            Builder::before(module, place).store(frame, runtime.top);
        }
    }
}

/// Where the last thing of a function can be done: before its return, or before the call that takes the place of it.
pub(crate) fn before_end(instruction: Value) -> Value {
    instruction
        .previous()
        .filter(|previous| previous.is_call() && previous.is_must_tail())
        .unwrap_or(instruction)
}

/// Where this function goes on without knowing what was called in between, if it does so because of this instruction.
fn place_of_return(instruction: Value) -> Option<Value> {
    match instruction.opcode() {
        LLVMOpcode::LLVMLandingPad => Some(instruction.block().first_place()),
        LLVMOpcode::LLVMCall if returns_twice(instruction) => instruction.next(),
        LLVMOpcode::LLVMInvoke if returns_twice(instruction) => {
            Some(instruction.normal_block().first_place())
        }
        _ => None,
    }
}

fn returns_twice(call: Value) -> bool {
    let name = "returns_twice";
    call.call_has_attribute(name) || call.callee().is_some_and(|callee| callee.has_attribute(name))
}

/// The functions whose calls nobody has to hear of: they tell the runtime nothing, and neither does what they call. A function
/// that calls only such functions needs no frame, which is what keeps pure computation fast.
pub(crate) fn quiet(functions: &[Value], loud: &BTreeSet<Value>) -> BTreeSet<Value> {
    let calls: BTreeMap<Value, Vec<Value>> = functions
        .iter()
        .filter(|function| !loud.contains(function))
        .map(|function| {
            (*function, function.instructions().into_iter().filter(|each| each.is_call()).collect())
        })
        .collect();
    let mut quiet: BTreeSet<Value> = calls.keys().copied().collect();
    loop {
        let is_loud = |function: &Value| calls[function].iter().any(|call| is_heard(*call, &quiet));
        let no_more: Vec<Value> = quiet.iter().copied().filter(is_loud).collect();
        if no_more.is_empty() {
            return quiet;
        }
        for function in no_more {
            quiet.remove(&function);
        }
    }
}

/// Whether a call has to be named in the frame.
pub(crate) fn is_heard(call: Value, quiet: &BTreeSet<Value>) -> bool {
    if call.is_inline_assembly_call() {
        return false;
    }
    call.callee().is_none_or(|callee| !callee.is_intrinsic() && !quiet.contains(&callee))
}
