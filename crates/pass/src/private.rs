//! Which memory no other thread can touch: local variables whose address stays in their function or thread, and constants.

use std::collections::{BTreeMap, BTreeSet};

use llvm_sys::core::{LLVMGetPointerAddressSpace, LLVMIsGlobalConstant};

use crate::calls::is_guard;
use crate::llvm::{Value, llvm};

/// What is known of one function. Asked before the function is changed: a hook is told addresses, and LLVM would have to
/// think that it keeps them.
pub(crate) struct Private<'a> {
    /// The functions that give addresses of thread-local variables which only their own thread touches.
    addresses: &'a BTreeSet<Value>,
    objects: BTreeMap<Value, bool>,
}

impl<'a> Private<'a> {
    pub(crate) fn new(addresses: &'a BTreeSet<Value>) -> Private<'a> {
        Private { addresses, objects: BTreeMap::new() }
    }

    /// Whether an access to this address cannot matter to another thread.
    pub(crate) fn covers(&mut self, pointer: Value) -> bool {
        // Other address spaces (segment registers) are not memory as the runtime knows it.
        if llvm!(LLVMGetPointerAddressSpace(pointer.type_of().0)) != 0 {
            return true;
        }
        let object = pointer.object();
        let addresses = self.addresses;
        *self.objects.entry(object).or_insert_with(|| {
            object.is_alloca() && !object.is_captured()
                || object.is_call() && object.callee().is_some_and(|each| addresses.contains(&each))
        })
    }

    /// The same for a read: what nobody writes is not shared.
    pub(crate) fn covers_read(&mut self, pointer: Value) -> bool {
        if self.covers(pointer) {
            return true;
        }
        let object = pointer.object();
        is_guard(object) || object.is_global_variable() && llvm!(LLVMIsGlobalConstant(object.0)) != 0
    }
}
