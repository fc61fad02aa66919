//! Loops that only wait: what a round does depends on nothing but what the thread sees in it.
//!
//! ```c
//! while (!atomic_load(&ready))
//!     if (__raddle_active) __raddle_wait(&site);     // on the way back to the head of the loop
//! ```
//!
//! The runtime is told of each further round, as if the source had called `sched_yield` there: it can tell at once, not only after
//! many rounds, that the thread waits for a change. A loop that counts its rounds, or keeps anything else of its own from one to
//! the next, may have enough some time: it calls `__raddle_round`, and the runtime looks whether the thread is in the same state as
//! a round before.

use std::collections::BTreeSet;

use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::core::*;

use crate::assembly;
use crate::llvm::{Block, Builder, Loop, Module, Value, guard, llvm};
use crate::runtime::{Function, Runtime};

/// How deep calls in a loop are followed.
const DEPTH: u32 = 8;

/// Intrinsic functions that leave nothing behind.
const HARMLESS: &[&str] =
    &["llvm.dbg.", "llvm.lifetime.", "llvm.x86.sse2.pause", "llvm.expect.", "llvm.assume", "llvm.ctpop."];

/// Functions that try to take something, which the runtime sees, or let time pass.
const TRIES: &[&str] = &[
    "sched_yield",
    "thrd_yield",
    "sleep",
    "usleep",
    "pthread_mutex_trylock",
    "pthread_spin_trylock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "sem_trywait",
];

/// A loop whose rounds are told.
pub(crate) struct Told {
    /// The last instructions of the blocks that go back to the head.
    pub(crate) backs: Vec<Value>,
    /// Those of the blocks from which it is entered.
    entries: Vec<Value>,
    head: Block,
    /// Whether it only waits, as far as the pass can tell.
    pub(crate) only_waits: bool,
    /// What is done in a round.
    pub(crate) round: Vec<Value>,
}

/// The loops of a function.
pub(crate) fn find(function: Value) -> Vec<Told> {
    let ends = |blocks: &mut dyn Iterator<Item = Block>| -> Vec<Value> {
        let ends = blocks.map(|block| block.terminator());
        ends.filter(|end| matches!(end.opcode(), LLVMBr | LLVMSwitch)).collect()
    };
    let blocks = function.blocks();
    let told = |each: &Loop| {
        let is_entry = |block: &Block| !each.blocks.contains(block) && block.leads_to(each.header);
        Told {
            backs: ends(&mut each.latches.iter().copied()),
            entries: ends(&mut blocks.iter().copied().filter(is_entry)),
            head: each.header,
            only_waits: only_waits(each),
            round: each.blocks.iter().flat_map(|block| block.instructions()).collect(),
        }
    };
    function.loops().iter().map(told).collect()
}

/// Tells the runtime of each further round; `sites` are those of the ways back. Asked for before anything else in the function is
/// changed.
pub(crate) fn emit(module: Module, runtime: &Runtime, told: &Told, sites: &[Value]) {
    let Some(name) = sites.first() else { return };
    for (back, site) in told.backs.iter().zip(sites) {
        let (hook, arguments) =
            if told.only_waits { (runtime.wait, vec![*site]) } else { (runtime.round, vec![*site, *name]) };
        call_between(module, runtime, *back, told.head, hook, &arguments);
    }
    // What lies on the stack when a function is called is nobody's: states are only compared within one visit to the loop.
    for entry in told.entries.iter().filter(|_| !told.only_waits) {
        call_between(module, runtime, *entry, told.head, runtime.begin, &[*name]);
    }
}

fn call_between(
    module: Module,
    runtime: &Runtime,
    from: Value,
    to: Block,
    hook: Function,
    arguments: &[Value],
) {
    let Some(between) = from.block().split_edge_to(to) else { return };
    let place = between.terminator();
    let inside = guard(place, runtime.is_active(module, &Builder::before(module, place)));
    Builder::before(module, inside).call(hook.function, hook.of, arguments);
}

fn only_waits(each: &Loop) -> bool {
    let instructions: Vec<Value> = each.blocks.iter().flat_map(|block| block.instructions()).collect();
    let writes = instructions.iter().any(|each| leaves_something(*each, DEPTH));
    let round = Round { of: each, writes };
    // A loop that looks at nothing does not wait for a change: it is endless.
    let looks = instructions.iter().any(|each| looks(*each));
    looks
        && instructions.iter().all(|instruction| round.allows(*instruction))
        && each.header.instructions().into_iter().all(|first| round.carries_only_what_was_seen(first))
}

/// Whether an instruction, or what it may call, looks at memory.
fn looks(instruction: Value) -> bool {
    if !instruction.is_call() {
        return matches!(instruction.opcode(), LLVMLoad | LLVMAtomicRMW | LLVMAtomicCmpXchg);
    }
    if instruction.is_inline_assembly_call() {
        return assembly::touches_memory(instruction);
    }
    instruction.callee().is_none_or(|callee| !callee.is_intrinsic())
}

/// Whether an access is one that other threads may see, and that the runtime is told of.
fn is_visible(access: Value) -> bool {
    let at = access.operand(u32::from(access.opcode() == LLVMStore)).object();
    if at.is_alloca() && !at.is_captured() {
        // A `volatile` counter of the loop, for instance: nobody else can see or change it.
        return false;
    }
    match access.opcode() {
        LLVMLoad | LLVMStore => {
            let plain = llvm!(LLVMGetOrdering(access.0)) == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
            !plain || llvm!(LLVMGetVolatile(access.0)) != 0
        }
        opcode => matches!(opcode, LLVMAtomicRMW | LLVMAtomicCmpXchg),
    }
}

/// Whether an instruction, or what it calls, writes to plain memory that outlives the call.
fn leaves_something(instruction: Value, depth: u32) -> bool {
    if instruction.opcode() == LLVMStore {
        return !is_visible(instruction);
    }
    let called = instruction.is_call().then(|| instruction.callee()).flatten();
    called.is_some_and(|callee| {
        depth > 0
            && callee.instructions().into_iter().any(|each| {
                let own = each.opcode() == LLVMStore && each.operand(1).object().is_alloca();
                !own && leaves_something(each, depth - 1)
            })
    })
}

/// One round of a loop.
struct Round<'a> {
    of: &'a Loop,
    /// Whether it writes to plain memory.
    writes: bool,
}

impl Round<'_> {
    fn contains(&self, value: Value) -> bool {
        value.is_instruction() && self.of.blocks.contains(&value.block())
    }

    /// Whether an instruction may stand in a loop that only waits.
    fn allows(&self, instruction: Value) -> bool {
        match instruction.opcode() {
            LLVMStore => {
                let (value, at) = (instruction.operand(0), instruction.operand(1));
                is_visible(instruction) || at.object().is_alloca() && self.saw(value) && self.saw(at)
            }
            LLVMCall | LLVMInvoke => {
                instruction.arguments().into_iter().all(|argument| self.saw(argument))
                    && is_transparent(instruction, DEPTH)
            }
            opcode => !is_refused(opcode),
        }
    }

    /// Whether a value that one round hands to the next is what the round saw, or stays what it was.
    fn carries_only_what_was_seen(&self, first: Value) -> bool {
        first.opcode() != LLVMPHI
            || (0..first.operand_count()).all(|index| {
                let value = first.operand(index);
                !self.of.blocks.contains(&first.incoming_block(index)) || value == first || self.saw(value)
            })
    }

    fn saw(&self, value: Value) -> bool {
        self.follows(value, &mut BTreeSet::new())
    }

    /// Whether a value follows from what was seen in this round and what never changes.
    fn follows(&self, value: Value, path: &mut BTreeSet<Value>) -> bool {
        if !self.contains(value) || !path.insert(value) {
            return true;
        }
        match value.opcode() {
            LLVMPHI if value.block() == self.of.header => false,
            LLVMLoad => (is_visible(value) || !self.writes) && self.follows(value.operand(0), path),
            LLVMAtomicRMW | LLVMAtomicCmpXchg => self.follows(value.operand(0), path),
            LLVMCall | LLVMInvoke => {
                value.arguments().into_iter().all(|argument| self.follows(argument, path))
            }
            _ => (0..value.operand_count()).all(|index| self.follows(value.operand(index), path)),
        }
    }
}

fn is_refused(opcode: LLVMOpcode) -> bool {
    matches!(opcode, LLVMAlloca | LLVMVAArg | LLVMLandingPad | LLVMResume | LLVMCallBr | LLVMIndirectBr)
}

/// Whether a call does nothing but look, and leaves nothing behind but what it saw.
fn is_transparent(call: Value, depth: u32) -> bool {
    if call.is_inline_assembly_call() {
        return assembly::is_harmless(call);
    }
    let Some(callee) = call.callee() else { return false };
    if callee.is_intrinsic() {
        let name = callee.name();
        return HARMLESS.iter().any(|prefix| name.starts_with(prefix));
    }
    if callee.is_declaration() || depth == 0 {
        return TRIES.contains(&callee.name().as_str());
    }
    // What ends the program leaves nothing to wait for.
    let returns = callee.blocks().into_iter().filter(|each| each.terminator().opcode() != LLVMUnreachable);
    returns.flat_map(|block| block.instructions()).all(|each| match each.opcode() {
        LLVMStore => {
            let to = each.operand(1).object();
            is_visible(each) || to.is_alloca() || to.is_argument() && comes_from_atomics(each.operand(0))
        }
        LLVMCall | LLVMInvoke => is_transparent(each, depth - 1),
        LLVMAlloca => true,
        opcode => !is_refused(opcode),
    })
}

/// Whether a value in a function is a constant, an argument, or what an atomic operation saw.
fn comes_from_atomics(value: Value) -> bool {
    if !value.is_instruction() {
        return true;
    }
    match value.opcode() {
        LLVMAtomicRMW | LLVMAtomicCmpXchg => true,
        LLVMLoad => is_visible(value),
        LLVMExtractValue | LLVMZExt | LLVMTrunc | LLVMIntToPtr | LLVMPtrToInt | LLVMBitCast => {
            comes_from_atomics(value.operand(0))
        }
        _ => false,
    }
}
