//! What an access touches, as the source says it: `balance`, `queue.head`, `p->next`, `fork[i]`.

use std::collections::BTreeMap;

use llvm_sys::core::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::llvm::{Module, Type, Value, llvm};
use crate::structures::{Found, Structures};

/// Expressions of the source are short; what is deeper is not worth a name.
const MAX_DEPTH: usize = 12;

/// A memory place in words.
struct Target {
    name: String,
    /// The name is that of a value which points there.
    is_pointee: bool,
    /// The structure that lies there, if that is known.
    structure: Option<usize>,
}

impl Target {
    fn object(name: String) -> Target {
        Target { name, is_pointee: false, structure: None }
    }

    fn pointee(name: String) -> Target {
        Target { name, is_pointee: true, structure: None }
    }

    fn text(self) -> String {
        if self.is_pointee { format!("*{}", self.name) } else { self.name }
    }

    fn member(self, member: Found) -> Target {
        let structure = Some(member.structure).filter(|id| *id != 0);
        // A base class has the name of the whole.
        if member.name.is_empty() {
            return Target { structure, ..self };
        }
        let arrow = if self.is_pointee { "->" } else { "." };
        Target { name: format!("{}{arrow}{}", self.name, member.name), is_pointee: false, structure }
    }

    fn element(self, index: &str) -> Target {
        Target::object(format!("{}[{index}]", self.name))
    }
}

/// Gives names.
pub(crate) struct Names {
    module: Module,
    structures: Structures,
    /// The functions that give addresses of thread-local variables, and the names of those.
    addresses: BTreeMap<Value, String>,
}

impl Names {
    pub(crate) fn new(module: Module, addresses: BTreeMap<Value, String>) -> Names {
        Names { module, structures: Structures::of(module), addresses }
    }

    /// What a pointer points to.
    pub(crate) fn of(&self, pointer: Value) -> Option<String> {
        self.target(pointer, 0).map(Target::text)
    }

    fn target(&self, pointer: Value, depth: usize) -> Option<Target> {
        if depth > MAX_DEPTH {
            return None;
        }
        if pointer.is_global_variable() || pointer.is_alloca() {
            return pointer.variable().map(Target::object);
        }
        if !llvm!(LLVMIsAConstantExpr(pointer.0)).is_null() {
            return (llvm!(LLVMGetConstOpcode(pointer.0)) == LLVMOpcode::LLVMGetElementPtr)
                .then(|| self.element(pointer, depth))?;
        }
        if pointer.is_instruction() && pointer.opcode() == LLVMOpcode::LLVMGetElementPtr {
            return self.element(pointer, depth);
        }
        if pointer.is_call() {
            let name = pointer.callee().and_then(|callee| self.addresses.get(&callee));
            if let Some(name) = name {
                return Some(Target::object(name.clone()));
            }
        }
        self.value(pointer, depth + 1).map(Target::pointee)
    }

    /// A member or an element: `getelementptr`.
    fn element(&self, pointer: Value, depth: usize) -> Option<Target> {
        let mut at = self.target(pointer.operand(0), depth + 1)?;
        let mut of = Type(llvm!(LLVMGetGEPSourceElementType(pointer.0)));
        // Arithmetic on bytes is what is left of something else.
        if of == self.module.integer(8) && !matches!(pointer.operand_count(), 2) {
            return None;
        }
        let first = pointer.operand(1);
        if first.as_constant() != Some(0) {
            at = at.element(&self.index(first, depth));
        }
        for number in 2..pointer.operand_count() {
            let index = pointer.operand(number);
            if of.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let field = u32::try_from(index.as_constant()?).ok()?;
                let member = self.member(at.structure, of, field)?;
                at = at.member(member);
                of = Type(llvm!(LLVMStructGetTypeAtIndex(of.0, field)));
            } else {
                at = at.element(&self.index(index, depth));
                of = Type(llvm!(LLVMGetElementType(of.0)));
            }
        }
        Some(at)
    }

    fn member(&self, known: Option<usize>, of: Type, field: u32) -> Option<Found> {
        let name = of.structure_name()?;
        let (size, offset) = (self.module.size(of), self.module.offset(of, field));
        self.structures.member(known, &name, size, offset)
    }

    fn index(&self, index: Value, depth: usize) -> String {
        match index.as_signed_constant() {
            Some(number) => number.to_string(),
            // An index that has no name of its own: the address tells.
            None => self.value(index, depth + 1).unwrap_or_else(|| "..".to_owned()),
        }
    }

    /// The name of a value: of the variable that has it, or of where it was read.
    fn value(&self, value: Value, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(name) = value.variable() {
            return Some(name);
        }
        if !value.is_instruction() {
            return None;
        }
        match value.opcode() {
            LLVMOpcode::LLVMLoad => self.target(value.operand(0), depth + 1).map(Target::text),
            LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMTrunc => {
                self.value(value.operand(0), depth + 1)
            }
            _ => None,
        }
    }
}
