//! Inline assembly: what it does to memory, as far as its constraints tell.

use std::ffi::c_char;

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

use crate::accesses::{Access, Operand, Order, Size};
use crate::llvm::{Module, Type, Value, llvm};
use crate::private::Private;

/// Instructions that touch no memory of the program, whatever the clobbers say.
const HARMLESS: &[&str] =
    &["pause", "nop", "rep", "lfence", "sfence", "yield", "rdtsc", "rdtscp", "cpuid", "endbr64"];

/// The number of a read-modify-write of which only the next access tells what it did.
const UNKNOWN: u32 = 11;

/// The text of an assembly, and its constraints.
struct Assembly {
    text: String,
    constraints: String,
    is_volatile: bool,
}

impl Assembly {
    fn of(call: Value) -> Option<Assembly> {
        let assembly = llvm!(LLVMGetCalledValue(call.0));
        if llvm!(LLVMIsAInlineAsm(assembly)).is_null() {
            return None;
        }
        let (mut text, mut constraints) = (0, 0);
        let (at, constraints_at) = (
            llvm!(LLVMGetInlineAsmAsmString(assembly, &mut text)),
            llvm!(LLVMGetInlineAsmConstraintString(assembly, &mut constraints)),
        );
        let is_volatile = llvm!(LLVMGetInlineAsmHasSideEffects(assembly)) != 0;
        Some(Assembly { text: read(at, text), constraints: read(constraints_at, constraints), is_volatile })
    }

    /// The mnemonics, in order.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split([';', '\n', '\t', ' ']).filter(|word| !word.is_empty())
    }

    /// The operands that lie in memory: by the number of the argument, and whether it is written.
    fn memory_operands(&self) -> Vec<(usize, bool)> {
        let mut operands = Vec::new();
        let mut argument = 0;
        for constraint in self.constraints.split(',') {
            let is_output = constraint.starts_with('=');
            if constraint.starts_with('~')
                || constraint.starts_with('!')
                || is_output && !constraint.contains('*')
            {
                continue;
            }
            if constraint.contains('*') {
                operands.push((argument, is_output));
            }
            argument += 1;
        }
        operands
    }

    /// Whether it is one volatile `mov`: what libraries write for a load or store that the processor does in one piece.
    fn is_one_move(&self) -> bool {
        let mut instructions = self.text.split([';', '\n']).map(str::trim).filter(|text| !text.is_empty());
        self.is_volatile
            && instructions.next().is_some_and(|first| first.starts_with("mov"))
            && instructions.next().is_none()
    }

    fn is_locked(&self) -> bool {
        self.words().any(|word| word == "lock" || word.starts_with("xchg"))
    }
}

fn read(at: *const c_char, length: usize) -> String {
    if at.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returns that many bytes, which live as long as the module.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(at.cast::<u8>(), length) }).into_owned()
}

/// What an assembly does to its operands in memory. One that locks the bus changes them atomically, and one volatile `mov`
/// counts as atomic like every volatile access; on this processor it is as strong as acquire and release.
pub(crate) fn accesses(module: Module, call: Value, private: &mut Private) -> Vec<Access> {
    let Some(assembly) = Assembly::of(call) else { return Vec::new() };
    let arguments = call.arguments();
    let mut accesses = Vec::new();
    let mut seen: Vec<Value> = Vec::new();
    for (number, is_written) in assembly.memory_operands() {
        let Some(at) = arguments.get(number).copied().filter(|at| !private.covers(*at)) else { continue };
        let size = Size::Known(element_type(call, number).map_or(8, |of| module.store_size(of)));
        if assembly.is_one_move() && !is_written {
            accesses.push(Access::Load { at, size, order: Order::Acquire });
        } else if assembly.is_one_move() {
            let operand = Operand::Value(module.integer(64).constant(0));
            accesses.push(Access::Rmw { at, size, operation: UNKNOWN, operand, order: Order::Release });
        } else if !assembly.is_locked() {
            let value = Operand::Value(module.integer(64).constant(0));
            accesses.push(if is_written {
                Access::Write { at, size, value }
            } else {
                Access::Read { at, size }
            });
        } else if !seen.contains(&at) {
            seen.push(at);
            let operand = Operand::Value(module.integer(64).constant(0));
            let order = Order::SequentiallyConsistent;
            accesses.push(Access::Rmw { at, size, operation: UNKNOWN, operand, order });
        }
    }
    if assembly.words().any(|word| word == "mfence") {
        accesses.push(Access::Fence { order: Order::SequentiallyConsistent });
    }
    accesses
}

/// Whether an assembly has operands in memory.
pub(crate) fn touches_memory(call: Value) -> bool {
    Assembly::of(call).is_some_and(|assembly| !assembly.memory_operands().is_empty())
}

/// Whether an assembly may touch memory that its operands do not name.
pub(crate) fn is_uncontrolled(call: Value) -> bool {
    Assembly::of(call).is_some_and(|assembly| {
        assembly.constraints.contains("~{memory}")
            && assembly.memory_operands().is_empty()
            && assembly.words().any(|word| word != "mfence" && !HARMLESS.contains(&word))
    })
}

/// Whether an assembly does nothing that a program could notice, or is an atomic access.
pub(crate) fn is_harmless(call: Value) -> bool {
    Assembly::of(call).is_some_and(|assembly| {
        let known = |word: &str| word == "mfence" || HARMLESS.contains(&word);
        let nothing = call.type_of().kind() == LLVMTypeKind::LLVMVoidTypeKind && assembly.words().all(known);
        let access = assembly.is_one_move() || assembly.is_locked();
        nothing || access && !assembly.memory_operands().is_empty()
    })
}

/// The type of what a memory operand points to.
fn element_type(call: Value, argument: usize) -> Option<Type> {
    let name = "elementtype";
    let kind = llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
    // The attributes of the first argument have the number 1.
    let index = u32::try_from(argument).ok()?.checked_add(1)?;
    let attribute = llvm!(LLVMGetCallSiteEnumAttribute(call.0, index, kind));
    (!attribute.is_null()).then(|| Type(llvm!(LLVMGetTypeAttributeValue(attribute))))
}
