//! Calls that mean something else in a program under test.

use llvm_sys::LLVMOpcode;

use crate::frames::before_end;
use crate::llvm::{Builder, Module, Value};
use crate::runtime::Runtime;

/// Allocation functions. Compiled code gets ours; what the libraries allocate for themselves must not land in the heap that is
/// reset after a run, so these are not simply replaced for everybody.
const ALLOCATION: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "reallocarray",
    "strdup",
    "strndup",
];

/// Sends calls of the allocation functions to the runtime. A program that has its own is left alone.
pub(crate) fn rename_allocation(module: Module) {
    for name in ALLOCATION {
        let Some(function) = module.function_named(name).filter(|function| function.is_declaration()) else {
            continue;
        };
        let ours = module.declare(&format!("__raddle_{name}"), function.function_type());
        function.replace_uses(ours);
    }
}

/// The name by which the source calls a function.
pub(crate) fn source_name(name: &str) -> &str {
    let allocation = name.strip_prefix("__raddle_").filter(|name| ALLOCATION.contains(name));
    allocation.unwrap_or(name)
}

/// Brackets the body of a function whose name says that it is atomic, a convention of verification competitions.
pub(crate) fn bracket_atomic(module: Module, runtime: &Runtime, function: Value) {
    if !is_atomic_function(function) {
        return;
    }
    let instructions = function.instructions();
    let Some(entry) = function.blocks().first().copied() else { return };
    let begin = runtime.atomic_begin;
    Builder::before(module, entry.entry_place()).call(begin.function, begin.of, &[]);
    for instruction in instructions {
        if matches!(instruction.opcode(), LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume) {
            let end = runtime.atomic_end;
            Builder::before(module, before_end(instruction)).call(end.function, end.of, &[]);
        }
    }
}

/// Whether the name of a function says that its body is atomic.
pub(crate) fn is_atomic_function(function: Value) -> bool {
    let name = function.name();
    name.starts_with("__VERIFIER_atomic_")
        && !matches!(name.as_str(), "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end")
}

/// Changes what the inline parts of the C++ library assume of threads:
/// - the check before the first use of a static variable always goes to the library, where the runtime sees it;
/// - the library never thinks that there is one thread only: it would count references without atomics.
pub(crate) fn correct_assumptions(module: Module, runtime: &Runtime) {
    for global in module.globals() {
        let name = global.name();
        let is_guard = name.starts_with("_ZGV") && !global.is_thread_local();
        if !is_guard && name != "__libc_single_threaded" {
            continue;
        }
        for load in global.users() {
            if !load.is_instruction() || load.opcode() != LLVMOpcode::LLVMLoad {
                continue;
            }
            let Some(next) = load.next() else { continue };
            let zero = load.type_of().null();
            let uses = load.users();
            let builder = Builder::before(module, next);
            let value =
                if is_guard { builder.select(runtime.is_active(module, &builder), zero, load) } else { zero };
            replace_in(&uses, load, value);
        }
    }
}

/// These users of a value take another one.
pub(crate) fn replace_in(users: &[Value], old: Value, new: Value) {
    for user in users {
        for index in (0..user.operand_count()).filter(|index| user.operand(*index) == old) {
            user.set_operand(index, new);
        }
    }
}

/// Rounds of the loop in which the C++ library looks at a value before it waits for it in the kernel.
const SPIN_ROUNDS: u64 = 16;

/// Lets the inline parts of the C++ library look at a value once, not often, before they wait for it in the kernel.
/// A thread in that loop would seem to be waiting for a change; but once it sleeps, only a notification wakes it.
pub(crate) fn shorten_waiting(module: Module, runtime: &Runtime, functions: &[Value]) {
    for function in functions.iter().filter(|each| each.name().starts_with("_ZNSt8__detail13__atomic_spin")) {
        for instruction in function.instructions() {
            if instruction.opcode() == LLVMOpcode::LLVMICmp
                && instruction.operand(1).as_constant() == Some(SPIN_ROUNDS)
            {
                let (many, builder) = (instruction.operand(1), Builder::before(module, instruction));
                let once = many.type_of().constant(1);
                instruction.set_operand(1, builder.select(runtime.is_active(module, &builder), once, many));
            }
            let policy = instruction.is_call()
                && instruction.callee().is_some_and(|callee| callee.name().contains("spin_policyclEv"));
            if let Some(next) = instruction.next().filter(|_| policy) {
                let (users, builder) = (instruction.users(), Builder::before(module, next));
                let no = instruction.type_of().null();
                let active = runtime.is_active(module, &builder);
                replace_in(&users, instruction, builder.select(active, no, instruction));
            }
        }
    }
}

/// The number of the order that both acquires and releases.
const ACQUIRE_RELEASE: u64 = 4;

/// The lock inside `std::atomic<std::shared_ptr>` is given back relaxed after reads, which orders them on every machine that the
/// library knows, but not by the words of the standard. That is no race of the program's.
pub(crate) fn trust_library_locks(functions: &[Value]) {
    let unlocks = functions.iter().filter(|each| {
        let name = each.name();
        name.contains("_Sp_atomic") && name.contains("_Atomic_count6unlock")
    });
    for call in unlocks.flat_map(|function| function.instructions()).filter(|each| each.is_call()) {
        let arguments = call.arguments();
        if let (Some(order), [_, _, _]) = (arguments.last(), arguments.as_slice())
            && call.callee().is_some_and(|callee| callee.name().contains("fetch_sub"))
        {
            call.set_operand(2, order.type_of().constant(ACQUIRE_RELEASE));
        }
    }
}

/// Whether a load is the check before the first use of a static variable, which the library does again.
pub(crate) fn is_guard(pointer: Value) -> bool {
    pointer.is_global_variable() && {
        let name = pointer.name();
        name.starts_with("_ZGV") || name == "__libc_single_threaded"
    }
}
