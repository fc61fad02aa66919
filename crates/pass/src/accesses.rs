//! What an instruction does to memory.

use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMOpcode};

use crate::llvm::{Module, Value, llvm};
use crate::private::Private;

/// The memory orders of C11, as the runtime numbers them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Relaxed = 0,
    Acquire = 2,
    Release = 3,
    AcquireRelease = 4,
    SequentiallyConsistent = 5,
}

impl Order {
    fn of(order: LLVMAtomicOrdering) -> Order {
        use LLVMAtomicOrdering::*;
        match order {
            LLVMAtomicOrderingNotAtomic | LLVMAtomicOrderingUnordered | LLVMAtomicOrderingMonotonic => {
                Order::Relaxed
            }
            LLVMAtomicOrderingAcquire => Order::Acquire,
            LLVMAtomicOrderingRelease => Order::Release,
            LLVMAtomicOrderingAcquireRelease => Order::AcquireRelease,
            LLVMAtomicOrderingSequentiallyConsistent => Order::SequentiallyConsistent,
        }
    }
}

/// A number of bytes: known, or computed by the program.
#[derive(Clone, Copy)]
pub(crate) enum Size {
    Known(u64),
    Computed(Value),
}

/// What happens to memory.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    Read {
        at: Value,
        size: Size,
    },
    /// Without a value where it is too large to be told, or not known before.
    Write {
        at: Value,
        size: Size,
        value: Option<Value>,
    },
    Copy {
        to: Value,
        from: Value,
        size: Size,
    },
    Fill {
        to: Value,
        size: Size,
        byte: Value,
    },
    Load {
        at: Value,
        size: u64,
        order: Order,
    },
    Store {
        at: Value,
        size: u64,
        value: Option<Value>,
        order: Order,
    },
    Rmw {
        at: Value,
        size: u64,
        operation: u32,
        operand: Option<Value>,
        order: Order,
    },
    CompareExchange {
        at: Value,
        size: u64,
        expected: Value,
        desired: Value,
        weak: bool,
        success: Order,
        failure: Order,
    },
    Fence {
        order: Order,
    },
}

impl Access {
    /// The word for the kind in the static model.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Access::Read { .. } => "read",
            Access::Write { .. } => "write",
            Access::Copy { .. } => "copy",
            Access::Fill { .. } => "fill",
            Access::Load { .. } => "load",
            Access::Store { .. } => "store",
            Access::Rmw { .. } => "rmw",
            Access::CompareExchange { .. } => "compare-exchange",
            Access::Fence { .. } => "fence",
        }
    }

    /// The pointer whose target is named in the site.
    pub(crate) fn pointer(&self) -> Option<Value> {
        match *self {
            Access::Read { at, .. }
            | Access::Write { at, .. }
            | Access::Load { at, .. }
            | Access::Store { at, .. }
            | Access::Rmw { at, .. }
            | Access::CompareExchange { at, .. } => Some(at),
            Access::Copy { to, .. } | Access::Fill { to, .. } => Some(to),
            Access::Fence { .. } => None,
        }
    }
}

/// What an instruction does to memory that another thread may touch.
pub(crate) fn of(module: Module, instruction: Value, private: &mut Private) -> Option<Access> {
    match instruction.opcode() {
        LLVMOpcode::LLVMLoad => load(module, instruction, private),
        LLVMOpcode::LLVMStore => store(module, instruction, private),
        LLVMOpcode::LLVMAtomicRMW => rmw(module, instruction, private),
        LLVMOpcode::LLVMAtomicCmpXchg => compare_exchange(module, instruction, private),
        LLVMOpcode::LLVMFence => fence(instruction),
        LLVMOpcode::LLVMCall => memory_intrinsic(instruction, private),
        _ => None,
    }
}

fn load(module: Module, instruction: Value, private: &mut Private) -> Option<Access> {
    let at = instruction.operand(0);
    if private.covers_read(at) {
        return None;
    }
    let size = module.store_size(instruction.type_of());
    Some(match atomic_order(instruction) {
        Some(order) => Access::Load { at, size, order },
        None => Access::Read { at, size: Size::Known(size) },
    })
}

fn store(module: Module, instruction: Value, private: &mut Private) -> Option<Access> {
    let (value, at) = (instruction.operand(0), instruction.operand(1));
    if private.covers(at) {
        return None;
    }
    let size = module.store_size(value.type_of());
    let value = Some(value);
    Some(match atomic_order(instruction) {
        Some(order) => Access::Store { at, size, value, order },
        None => Access::Write { at, size: Size::Known(size), value },
    })
}

/// The order of an atomic access. `volatile` is what programs used before there were atomics: it counts as relaxed.
fn atomic_order(instruction: Value) -> Option<Order> {
    let order = llvm!(LLVMGetOrdering(instruction.0));
    if order == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic {
        return (llvm!(LLVMGetVolatile(instruction.0)) != 0).then_some(Order::Relaxed);
    }
    Some(Order::of(order))
}

fn rmw(module: Module, instruction: Value, private: &mut Private) -> Option<Access> {
    let (at, operand) = (instruction.operand(0), instruction.operand(1));
    if private.covers(at) {
        return None;
    }
    use LLVMAtomicRMWBinOp::*;
    let operation = match llvm!(LLVMGetAtomicRMWBinOp(instruction.0)) {
        LLVMAtomicRMWBinOpXchg => 0,
        LLVMAtomicRMWBinOpAdd => 1,
        LLVMAtomicRMWBinOpSub => 2,
        LLVMAtomicRMWBinOpAnd => 3,
        LLVMAtomicRMWBinOpNand => 4,
        LLVMAtomicRMWBinOpOr => 5,
        LLVMAtomicRMWBinOpXor => 6,
        LLVMAtomicRMWBinOpMax => 7,
        LLVMAtomicRMWBinOpMin => 8,
        LLVMAtomicRMWBinOpUMax => 9,
        LLVMAtomicRMWBinOpUMin => 10,
        _ => 11,
    };
    let size = module.store_size(operand.type_of());
    let order = Order::of(llvm!(LLVMGetOrdering(instruction.0)));
    Some(Access::Rmw { at, size, operation, operand: Some(operand), order })
}

fn compare_exchange(module: Module, instruction: Value, private: &mut Private) -> Option<Access> {
    let (at, expected, desired) = (instruction.operand(0), instruction.operand(1), instruction.operand(2));
    if private.covers(at) {
        return None;
    }
    Some(Access::CompareExchange {
        at,
        size: module.store_size(desired.type_of()),
        expected,
        desired,
        weak: llvm!(LLVMGetWeak(instruction.0)) != 0,
        success: Order::of(llvm!(LLVMGetCmpXchgSuccessOrdering(instruction.0))),
        failure: Order::of(llvm!(LLVMGetCmpXchgFailureOrdering(instruction.0))),
    })
}

fn fence(instruction: Value) -> Option<Access> {
    // A fence against signal handlers of the same thread orders nothing between threads.
    if llvm!(LLVMIsAtomicSingleThread(instruction.0)) != 0 {
        return None;
    }
    Some(Access::Fence { order: Order::of(llvm!(LLVMGetOrdering(instruction.0))) })
}

fn memory_intrinsic(instruction: Value, private: &mut Private) -> Option<Access> {
    let name = instruction.callee()?.name();
    let arguments = instruction.arguments();
    let copies = ["llvm.memcpy.", "llvm.memmove."].iter().any(|each| name.starts_with(each));
    if let (true, [to, from, size, ..]) = (copies, arguments.as_slice()) {
        let (to, from, size) = (*to, *from, Size::Computed(*size));
        return match (private.covers(to), private.covers_read(from)) {
            (true, true) => None,
            (true, false) => Some(Access::Read { at: from, size }),
            (false, _) => Some(Access::Copy { to, from, size }),
        };
    }
    match (name.starts_with("llvm.memset."), arguments.as_slice()) {
        (true, [to, byte, size, ..]) if !private.covers(*to) => {
            Some(Access::Fill { to: *to, size: Size::Computed(*size), byte: *byte })
        }
        _ => None,
    }
}
