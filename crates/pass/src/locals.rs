//! Thread-local variables: the threads of a controlled run are fibers of one thread, so each variable gets storage per
//! fiber, which the runtime gives out.
//!
//! Every use of the address of a variable `x` becomes a call of a small function that is inlined:
//!
//! ```c
//! static inline void *raddle_address_x(void) { return __raddle_active ? __raddle_thread_local(&raddle_local_x) : &x; }
//! ```

use std::collections::{BTreeMap, BTreeSet};

use llvm_sys::core::LLVMSetGlobalConstant;
use llvm_sys::{LLVMLinkage, LLVMOpcode};

use crate::llvm::{Builder, Module, Value, llvm};
use crate::runtime::Runtime;

/// The functions that give the addresses of thread-local variables.
#[derive(Default)]
pub(crate) struct Addresses {
    /// All of them, with the names of the variables.
    pub(crate) all: BTreeMap<Value, String>,
    /// Those of variables that only their own thread can touch.
    pub(crate) private: BTreeSet<Value>,
}

/// Moves the thread-local variables of a module.
pub(crate) fn relocate(module: Module, runtime: &Runtime) -> Addresses {
    let variables: Vec<Value> =
        module.globals().into_iter().filter(|each| each.is_thread_local() && *each != runtime.top).collect();
    module.expand_uses(&variables);
    let mut addresses = Addresses::default();
    for variable in variables {
        let users = variable.users();
        if users.is_empty() {
            // Another module may use it, and needs the descriptor.
            if !variable.is_declaration() && !variable.is_local_linkage() {
                descriptor(module, variable);
            }
            continue;
        }
        let is_private = variable.is_local_linkage() && !variable.is_captured();
        let address = address_function(module, runtime, variable);
        replace(module, variable, address, users);
        addresses.all.insert(address, variable.variable().unwrap_or_else(|| variable.name()));
        if is_private {
            addresses.private.insert(address);
        }
    }
    addresses
}

/// `struct raddle_local { const void *initial; uint64_t size, align; uint32_t number; }`, shared by all modules that use the
/// variable.
fn descriptor(module: Module, variable: Value) -> Value {
    let (at, wide, word) = (module.pointer(), module.integer(64), module.integer(32));
    let name = format!("__raddle_local.{}", variable.name());
    let global = module.add_global(module.structure(&[at, wide, wide, word]), &name);
    if variable.is_declaration() {
        // A library that was compiled without us has no descriptor.
        global.set_linkage(LLVMLinkage::LLVMExternalWeakLinkage);
        return global;
    }
    let of = variable.content_type();
    let initial = match variable.initializer().filter(|value| !value.is_null()) {
        Some(value) => module.add_constant(value, "raddle.initial"),
        None => at.null(),
    };
    let alignment = variable.given_alignment().max(module.alignment(of));
    let fields = [initial, wide.constant(module.size(of)), wide.constant(alignment), word.constant(0)];
    global.set_initializer(module.constant_structure(&fields));
    llvm!(LLVMSetGlobalConstant(global.0, 0));
    // Whoever may be there twice, in a group of its own or not, may be there twice as a weak symbol.
    global.set_linkage(match variable.linkage() {
        local @ (LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage) => local,
        LLVMLinkage::LLVMExternalLinkage => LLVMLinkage::LLVMExternalLinkage,
        _ => LLVMLinkage::LLVMWeakAnyLinkage,
    });
    global.copy_visibility(variable);
    global
}

/// The function that gives the address.
fn address_function(module: Module, runtime: &Runtime, variable: Value) -> Value {
    let at = module.pointer();
    let of = at.function(&[]);
    let function = module.declare(&format!("__raddle_address.{}", variable.name()), of);
    function.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    module.add_attribute(function, "alwaysinline");
    let descriptor = descriptor(module, variable);
    let (entry, fiber, native) =
        (module.add_block(function), module.add_block(function), module.add_block(function));
    let builder = Builder::at_end(module, entry);
    let mut condition = runtime.is_active(module, &builder);
    if variable.is_declaration() {
        condition = builder.and(condition, builder.is_not_zero(descriptor));
    }
    builder.branch(condition, fiber, native);
    let builder = Builder::at_end(module, fiber);
    let runtime = runtime.thread_local;
    builder.give_back(builder.call(runtime.function, runtime.of, &[descriptor]));
    let builder = Builder::at_end(module, native);
    let (intrinsic, of) = module.intrinsic("llvm.threadlocal.address", at);
    builder.give_back(builder.call(intrinsic, of, &[variable]));
    function
}

/// Puts calls of the function in the place of the variable. Constants that use it have become instructions before.
fn replace(module: Module, variable: Value, address: Value, users: Vec<Value>) {
    let of = address.function_type();
    let mut seen = BTreeSet::new();
    for user in users.into_iter().filter(|user| user.is_instruction()) {
        if !seen.insert(user) {
            continue;
        }
        if user.is_call()
            && user.callee().is_some_and(|each| each.name().starts_with("llvm.threadlocal.address"))
        {
            user.replace_uses(Builder::before(module, user).call(address, of, &[]));
            user.erase();
            continue;
        }
        // A phi that comes twice from one block has to get the same value from it.
        let mut from_block: BTreeMap<usize, Value> = BTreeMap::new();
        for index in (0..user.operand_count()).filter(|index| user.operand(*index) == variable) {
            let value = if user.opcode() == LLVMOpcode::LLVMPHI {
                let block = user.incoming_block(index);
                *from_block
                    .entry(block.0 as usize)
                    .or_insert_with(|| Builder::before(module, block.terminator()).call(address, of, &[]))
            } else {
                Builder::before(module, user).call(address, of, &[])
            };
            user.set_operand(index, value);
        }
    }
}
