//! The conventions of verification programs that bring parts of them along: `reach_error` with a body of its own, assumptions
//! that abort or go round for ever, inputs of further types.

use llvm_sys::LLVMLinkage;
use llvm_sys::LLVMTypeKind::{
    LLVMDoubleTypeKind, LLVMFloatTypeKind, LLVMIntegerTypeKind, LLVMPointerTypeKind,
};

use crate::llvm::{Builder, Module, Value, guard};
use crate::runtime::Runtime;

/// Functions that a program must never call, in C and in C++.
const ERRORS: &[&str] = &["reach_error", "_Z11reach_errorv"];

/// Functions after which their first argument holds. What those do that programs bring along (abort, or go round for ever)
/// is for verifiers that know no assumptions.
const ASSUMPTIONS: &[&str] = &["assume_abort_if_not", "assume_cycle_if_not", "__VERIFIER_assume"];

/// Functions that give an undetermined value.
const INPUT: &str = "__VERIFIER_nondet_";

/// Types of inputs for which the runtime has a function itself.
const KNOWN: &[&str] = &[
    "int",
    "uint",
    "unsigned",
    "char",
    "uchar",
    "short",
    "ushort",
    "long",
    "ulong",
    "longlong",
    "ulonglong",
    "size_t",
    "pointer",
    "u32",
    "u64",
    "float",
    "double",
    "bool",
];

/// Whether a call reaches what must never be reached.
pub(crate) fn is_error(call: Value) -> bool {
    call.callee().is_some_and(|callee| ERRORS.contains(&callee.name().as_str()))
}

/// Ends the run before such a call.
pub(crate) fn end_before(module: Module, runtime: &Runtime, call: Value, site: Value) {
    let inside = guard(call, runtime.is_active(module, &Builder::before(module, call)));
    Builder::before(module, inside).call(runtime.error.function, runtime.error.of, &[site]);
}

/// Makes an assumption of a function that stands for one.
pub(crate) fn assume(module: Module, runtime: &Runtime, function: Value) {
    let is_one = ASSUMPTIONS.contains(&function.name().as_str());
    let condition = function.parameter().filter(|each| each.type_of().kind() == LLVMIntegerTypeKind);
    let (Some(condition), Some(entry)) = (condition.filter(|_| is_one), function.blocks().first().copied())
    else {
        return;
    };
    let place = entry.entry_place();
    let inside = guard(place, runtime.is_active(module, &Builder::before(module, place)));
    let builder = Builder::before(module, inside);
    let holds = builder.resize(builder.is_not_zero(condition), module.integer(32));
    builder.call(runtime.assume.function, runtime.assume.of, &[holds]);
}

/// Gives inputs of types that the runtime does not know a body that makes them of one that it knows.
pub(crate) fn define_inputs(module: Module) {
    for function in module.functions() {
        let name = function.name();
        let Some(of) = name.strip_prefix(INPUT) else { continue };
        let result = function.function_type().result();
        let simple = [LLVMIntegerTypeKind, LLVMPointerTypeKind, LLVMFloatTypeKind, LLVMDoubleTypeKind];
        if KNOWN.contains(&of) || !function.is_declaration() || !simple.contains(&result.kind()) {
            continue;
        }
        let builder = Builder::at_end(module, module.add_block(function));
        let wide = module.integer(64);
        let number = module.declare("__VERIFIER_nondet_ulong", wide.function(&[]));
        let value = builder.call(number, number.function_type(), &[]);
        builder.give_back(match result.kind() {
            LLVMIntegerTypeKind => builder.resize(value, result),
            LLVMPointerTypeKind => builder.integer_to_pointer(value, result),
            _ => builder.integer_to_float(value, result),
        });
        // Each file that uses it has it.
        function.set_linkage(LLVMLinkage::LLVMWeakAnyLinkage);
    }
}
