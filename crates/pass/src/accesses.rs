//! What an instruction does to memory.

use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMOpcode};

use crate::llvm::{Module, Value, llvm};
use crate::private::Private;
use crate::{assembly, library};

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

/// A value that an access takes.
#[derive(Clone, Copy)]
pub(crate) enum Operand {
    Value(Value),
    /// What lies at this address.
    At(Value),
}

/// What happens to memory.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    Read {
        at: Value,
        size: Size,
    },
    Write {
        at: Value,
        size: Size,
        value: Operand,
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
        size: Size,
        order: Order,
    },
    Store {
        at: Value,
        size: Size,
        value: Operand,
        order: Order,
    },
    Rmw {
        at: Value,
        size: Size,
        operation: u32,
        operand: Operand,
        order: Order,
    },
    CompareExchange {
        at: Value,
        size: Size,
        expected: Operand,
        desired: Operand,
        weak: bool,
        success: Order,
        failure: Order,
    },
    Fence {
        order: Order,
    },
    /// What a function of the C library does to memory, which depends on what lies there.
    Library(Called),
}

/// The call of a function of the C library, as the runtime has to know it.
#[derive(Clone, Copy)]
pub(crate) struct Called {
    /// Which function, by its number.
    pub(crate) function: u32,
    /// Its arguments as far as they matter.
    pub(crate) arguments: [Option<Value>; 3],
    /// Which of its arguments others may touch, a bit for each.
    pub(crate) shared: u32,
    /// Told after the call, with what it returned as the third argument.
    pub(crate) after: bool,
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
            Access::Library(_) => "library",
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
            Access::Library(called) => called.arguments[0],
            Access::Fence { .. } => None,
        }
    }
}

/// What an instruction does to memory that another thread may touch.
pub(crate) fn of(module: Module, instruction: Value, private: &mut Private) -> Vec<Access> {
    if instruction.is_call() {
        if instruction.is_inline_assembly_call() {
            return assembly::accesses(module, instruction, private);
        }
        return library::of(module, instruction, private);
    }
    let access = match instruction.opcode() {
        LLVMOpcode::LLVMLoad => load(module, instruction, private),
        LLVMOpcode::LLVMStore => store(module, instruction, private),
        LLVMOpcode::LLVMAtomicRMW => rmw(module, instruction, private),
        LLVMOpcode::LLVMAtomicCmpXchg => compare_exchange(module, instruction, private),
        LLVMOpcode::LLVMFence => fence(instruction),
        _ => None,
    };
    access.into_iter().collect()
}

fn load(module: Module, instruction: Value, private: &mut Private) -> Option<Access> {
    let at = instruction.operand(0);
    if private.covers_read(at) {
        return None;
    }
    let size = Size::Known(module.store_size(instruction.type_of()));
    Some(match atomic_order(instruction) {
        Some(order) => Access::Load { at, size, order },
        None => Access::Read { at, size },
    })
}

fn store(module: Module, instruction: Value, private: &mut Private) -> Option<Access> {
    let (value, at) = (instruction.operand(0), instruction.operand(1));
    if private.covers(at) {
        return None;
    }
    let size = Size::Known(module.store_size(value.type_of()));
    let value = Operand::Value(value);
    Some(match atomic_order(instruction) {
        Some(order) => Access::Store { at, size, value, order },
        None => Access::Write { at, size, value },
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
    let size = Size::Known(module.store_size(operand.type_of()));
    let order = Order::of(llvm!(LLVMGetOrdering(instruction.0)));
    Some(Access::Rmw { at, size, operation, operand: Operand::Value(operand), order })
}

fn compare_exchange(module: Module, instruction: Value, private: &mut Private) -> Option<Access> {
    let (at, expected, desired) = (instruction.operand(0), instruction.operand(1), instruction.operand(2));
    if private.covers(at) {
        return None;
    }
    Some(Access::CompareExchange {
        at,
        size: Size::Known(module.store_size(desired.type_of())),
        expected: Operand::Value(expected),
        desired: Operand::Value(desired),
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
