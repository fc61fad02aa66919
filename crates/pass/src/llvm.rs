//! Handles to LLVM's objects.
//!
//! LLVM owns what the handles point to. All of them are reached from the one module that clang hands to the pass, and none is
//! kept when the pass returns: that is what makes the calls here sound. Nothing is removed while a handle to it is used.

use std::ffi::{CString, c_char, c_uint};

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement,
    LLVMStoreSizeOfType,
};
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMThreadLocalMode, LLVMTypeKind, LLVMUnnamedAddr};

unsafe extern "C" {
    fn raddle_shim_guard(before: LLVMValueRef, condition: LLVMValueRef) -> LLVMValueRef;
    fn raddle_shim_object(pointer: LLVMValueRef) -> LLVMValueRef;
    fn raddle_shim_captured(pointer: LLVMValueRef) -> i32;
    fn raddle_shim_first_place(block: LLVMBasicBlockRef) -> LLVMValueRef;
    fn raddle_shim_entry_place(block: LLVMBasicBlockRef) -> LLVMValueRef;
    fn raddle_shim_loops(
        function: LLVMValueRef,
        state: *mut std::ffi::c_void,
        tell: unsafe extern "C" fn(*mut std::ffi::c_void, LLVMBasicBlockRef),
        tell_block: unsafe extern "C" fn(*mut std::ffi::c_void, LLVMBasicBlockRef, i32),
    );
    fn raddle_shim_split_edge(from: LLVMBasicBlockRef, to: LLVMBasicBlockRef) -> LLVMBasicBlockRef;
    fn raddle_shim_expand(globals: *mut LLVMValueRef, count: usize);
    fn raddle_shim_keep(module: LLVMModuleRef, global: LLVMValueRef);
    fn raddle_shim_function_place(
        function: LLVMValueRef,
        file: *mut *mut c_char,
        name: *mut *mut c_char,
        line: *mut c_uint,
    ) -> i32;
    fn raddle_shim_variable(value: LLVMValueRef) -> *mut c_char;
    fn raddle_shim_folder(module: LLVMModuleRef, file: *mut *mut c_char) -> *mut c_char;
    fn raddle_shim_place(
        instruction: LLVMValueRef,
        file: *mut *mut c_char,
        function: *mut *mut c_char,
        line: *mut c_uint,
        column: *mut c_uint,
    ) -> i32;
}

/// A call of LLVM's C interface.
macro_rules! llvm {
    ($call:expr) => {
        // SAFETY: the handles are alive, see the head of this file, and of the kind that the function wants: the methods
        // here ask for the kind first wherever LLVM would not.
        unsafe { $call }
    };
}
pub(crate) use llvm;

/// Text that LLVM allocated.
fn owned(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the shim returns text that ends with zero.
    let read = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned();
    llvm!(LLVMDisposeMessage(text));
    read
}

/// Text for LLVM. What stands behind a zero byte is cut off: no name has one.
fn c_text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type(pub(crate) LLVMTypeRef);

impl Type {
    pub(crate) fn kind(self) -> LLVMTypeKind {
        llvm!(LLVMGetTypeKind(self.0))
    }

    /// The name of a structure, if it has one.
    pub(crate) fn structure_name(self) -> Option<String> {
        let name = llvm!(LLVMGetStructName(self.0));
        // SAFETY: LLVM returns text that ends with zero, or nothing.
        (!name.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// The width of an integer in bits.
    pub(crate) fn width(self) -> u32 {
        llvm!(LLVMGetIntTypeWidth(self.0))
    }

    /// An integer constant of this type.
    pub(crate) fn constant(self, value: u64) -> Value {
        Value(llvm!(LLVMConstInt(self.0, value, 0)))
    }

    pub(crate) fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    pub(crate) fn null(self) -> Value {
        Value(llvm!(LLVMConstNull(self.0)))
    }

    /// What a function of this type gives back.
    pub(crate) fn result(self) -> Type {
        Type(llvm!(LLVMGetReturnType(self.0)))
    }

    pub(crate) fn function(self, parameters: &[Type]) -> Type {
        let mut types: Vec<LLVMTypeRef> = parameters.iter().map(|each| each.0).collect();
        Type(llvm!(LLVMFunctionType(self.0, types.as_mut_ptr(), types.len() as c_uint, 0)))
    }
}

/// A value: a constant, a global, a function, an argument or an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Value(pub(crate) LLVMValueRef);

/// What a place in the source is made of.
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) function: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    /// As messages show it.
    pub(crate) fn shown(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Value {
    pub(crate) fn some(value: LLVMValueRef) -> Option<Value> {
        (!value.is_null()).then_some(Value(value))
    }

    pub(crate) fn type_of(self) -> Type {
        Type(llvm!(LLVMTypeOf(self.0)))
    }

    /// The linker's name of a global, or the name of a value in the text of the module.
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        let text = llvm!(LLVMGetValueName2(self.0, &mut length));
        // SAFETY: LLVM returns that many bytes, which live as long as the name is not changed.
        let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
        String::from_utf8_lossy(bytes).into_owned()
    }

    pub(crate) fn is_instruction(self) -> bool {
        !llvm!(LLVMIsAInstruction(self.0)).is_null()
    }

    pub(crate) fn is_function(self) -> bool {
        !llvm!(LLVMIsAFunction(self.0)).is_null()
    }

    pub(crate) fn is_argument(self) -> bool {
        !llvm!(LLVMIsAArgument(self.0)).is_null()
    }

    pub(crate) fn is_alloca(self) -> bool {
        !llvm!(LLVMIsAAllocaInst(self.0)).is_null()
    }

    pub(crate) fn is_global_variable(self) -> bool {
        !llvm!(LLVMIsAGlobalVariable(self.0)).is_null()
    }

    /// What an instruction does. The caller knows that it is one.
    pub(crate) fn opcode(self) -> LLVMOpcode {
        llvm!(LLVMGetInstructionOpcode(self.0))
    }

    pub(crate) fn operand(self, index: u32) -> Value {
        Value(llvm!(LLVMGetOperand(self.0, index)))
    }

    pub(crate) fn operand_count(self) -> u32 {
        llvm!(LLVMGetNumOperands(self.0)) as u32
    }

    /// The value of an integer constant.
    pub(crate) fn as_constant(self) -> Option<u64> {
        let constant = !llvm!(LLVMIsAConstantInt(self.0)).is_null();
        (constant && self.type_of().width() <= 64).then(|| llvm!(LLVMConstIntGetZExtValue(self.0)))
    }

    /// The value of an integer constant with a sign.
    pub(crate) fn as_signed_constant(self) -> Option<i64> {
        self.as_constant().map(|_| llvm!(LLVMConstIntGetSExtValue(self.0)))
    }

    /// The name of the variable of the source that this is, or whose value this is.
    pub(crate) fn variable(self) -> Option<String> {
        Some(owned(llvm!(raddle_shim_variable(self.0)))).filter(|name| !name.is_empty())
    }

    /// The object that a pointer points into, as far as it can be followed.
    pub(crate) fn object(self) -> Value {
        Value(llvm!(raddle_shim_object(self.0)))
    }

    /// Whether somebody else may come to know the address.
    pub(crate) fn is_captured(self) -> bool {
        llvm!(raddle_shim_captured(self.0)) != 0
    }

    /// The type of what a local variable holds.
    pub(crate) fn allocated_type(self) -> Type {
        Type(llvm!(LLVMGetAllocatedType(self.0)))
    }

    /// The parameters of a function that are copies made for it, and what they hold.
    pub(crate) fn copied_parameters(self) -> Vec<(Value, Type)> {
        let kind = llvm!(LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5));
        let copied = (0..llvm!(LLVMCountParams(self.0))).filter_map(|index| {
            let attribute = llvm!(LLVMGetEnumAttributeAtIndex(self.0, index + 1, kind));
            let of = || Type(llvm!(LLVMGetTypeAttributeValue(attribute)));
            (!attribute.is_null()).then(|| (Value(llvm!(LLVMGetParam(self.0, index))), of()))
        });
        copied.collect()
    }

    /// Where an instruction stands in the source.
    pub(crate) fn place(self) -> Option<Place> {
        let (mut file, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
        let (mut line, mut column) = (0, 0);
        let found = llvm!(raddle_shim_place(self.0, &mut file, &mut function, &mut line, &mut column)) != 0;
        found.then(|| Place { file: owned(file), function: owned(function), line, column })
    }

    /// Where a function stands in the source. Only the source knows its name there; without, it is the linker's.
    pub(crate) fn function_place(self) -> Place {
        let (mut file, mut name, mut line) = (std::ptr::null_mut(), std::ptr::null_mut(), 0);
        let found = llvm!(raddle_shim_function_place(self.0, &mut file, &mut name, &mut line)) != 0;
        let function = if found { owned(name) } else { self.name() };
        let file = if found { owned(file) } else { String::new() };
        Place { file, function, line, column: 0 }
    }

    /// Whether a function has an attribute without a value.
    pub(crate) fn has_attribute(self, name: &str) -> bool {
        let kind = attribute_kind(name);
        !llvm!(LLVMGetEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind)).is_null()
    }

    /// The same for a call, by itself.
    pub(crate) fn call_has_attribute(self, name: &str) -> bool {
        let kind = attribute_kind(name);
        !llvm!(LLVMGetCallSiteEnumAttribute(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind)).is_null()
    }

    /// Takes an attribute away from a function.
    pub(crate) fn remove_attribute(self, name: &str) {
        let kind = attribute_kind(name);
        llvm!(LLVMRemoveEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind));
    }

    /// Takes an attribute away from a call.
    pub(crate) fn remove_call_attribute(self, name: &str) {
        let kind = attribute_kind(name);
        llvm!(LLVMRemoveCallSiteEnumAttribute(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind));
    }

    /// Whether a call has to become a jump.
    pub(crate) fn is_must_tail(self) -> bool {
        self.opcode() == LLVMOpcode::LLVMCall
            && llvm!(LLVMGetTailCallKind(self.0)) == llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    pub(crate) fn is_inline_assembly_call(self) -> bool {
        !llvm!(LLVMIsAInlineAsm(LLVMGetCalledValue(self.0))).is_null()
    }

    pub(crate) fn is_intrinsic(self) -> bool {
        llvm!(LLVMGetIntrinsicID(self.0)) != 0
    }

    /// Whoever has this value as an operand, each as often as it has it.
    pub(crate) fn users(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstUse(self.0));
        let uses = chain(first, |at| llvm!(LLVMGetNextUse(at)));
        uses.into_iter().map(|each| Value(llvm!(LLVMGetUser(each)))).collect()
    }

    pub(crate) fn replace_uses(self, by: Value) {
        llvm!(LLVMReplaceAllUsesWith(self.0, by.0));
    }

    pub(crate) fn set_operand(self, index: u32, value: Value) {
        llvm!(LLVMSetOperand(self.0, index, value.0));
    }

    /// Takes an instruction out of its block. Nobody uses its value any more, and the handle is not used again.
    pub(crate) fn erase(self) {
        llvm!(LLVMInstructionEraseFromParent(self.0));
    }

    pub(crate) fn next(self) -> Option<Value> {
        Value::some(llvm!(LLVMGetNextInstruction(self.0)))
    }

    pub(crate) fn previous(self) -> Option<Value> {
        Value::some(llvm!(LLVMGetPreviousInstruction(self.0)))
    }

    /// The block an instruction stands in.
    pub(crate) fn block(self) -> Block {
        Block(llvm!(LLVMGetInstructionParent(self.0)))
    }

    /// The block that a phi takes an operand from.
    pub(crate) fn incoming_block(self, index: u32) -> Block {
        Block(llvm!(LLVMGetIncomingBlock(self.0, index)))
    }

    /// Where an invoke goes on if nothing was thrown.
    pub(crate) fn normal_block(self) -> Block {
        Block(llvm!(LLVMGetNormalDest(self.0)))
    }

    pub(crate) fn is_thread_local(self) -> bool {
        llvm!(LLVMIsThreadLocal(self.0)) != 0
    }

    pub(crate) fn is_local_linkage(self) -> bool {
        matches!(self.linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    /// The type of the contents of a global variable.
    pub(crate) fn content_type(self) -> Type {
        Type(llvm!(LLVMGlobalGetValueType(self.0)))
    }

    /// The type of a function.
    pub(crate) fn function_type(self) -> Type {
        Type(llvm!(LLVMGlobalGetValueType(self.0)))
    }

    /// The text that a constant holds, without the zero at its end.
    pub(crate) fn text(self) -> Option<Vec<u8>> {
        let content = Some(self).filter(|each| each.is_global_variable())?.initializer()?;
        if llvm!(LLVMIsGlobalConstant(self.0)) == 0 || llvm!(LLVMIsConstantString(content.0)) == 0 {
            return None;
        }
        let mut length = 0;
        let start = llvm!(LLVMGetAsString(content.0, &mut length)).cast::<u8>();
        let bytes = llvm!(std::slice::from_raw_parts(start, length));
        Some(bytes.split(|byte| *byte == 0).next().unwrap_or_default().to_vec())
    }

    pub(crate) fn initializer(self) -> Option<Value> {
        Value::some(llvm!(LLVMGetInitializer(self.0)))
    }

    pub(crate) fn is_null(self) -> bool {
        llvm!(LLVMIsNull(self.0)) != 0
    }

    /// The alignment that a global was given, or 0.
    pub(crate) fn given_alignment(self) -> u64 {
        u64::from(llvm!(LLVMGetAlignment(self.0)))
    }

    pub(crate) fn copy_visibility(self, from: Value) {
        llvm!(LLVMSetVisibility(self.0, LLVMGetVisibility(from.0)));
    }

    pub(crate) fn is_declaration(self) -> bool {
        llvm!(LLVMIsDeclaration(self.0)) != 0
    }

    /// The first parameter of a function.
    pub(crate) fn parameter(self) -> Option<Value> {
        Value::some(llvm!(LLVMGetFirstParam(self.0)))
    }

    /// The blocks of a function, in order.
    pub(crate) fn blocks(self) -> Vec<Block> {
        let first = llvm!(LLVMGetFirstBasicBlock(self.0));
        chain(first, |block| llvm!(LLVMGetNextBasicBlock(block))).into_iter().map(Block).collect()
    }

    /// The instructions of a function, in order.
    pub(crate) fn instructions(self) -> Vec<Value> {
        self.blocks().into_iter().flat_map(Block::instructions).collect()
    }

    pub(crate) fn linkage(self) -> LLVMLinkage {
        llvm!(LLVMGetLinkage(self.0))
    }

    pub(crate) fn set_linkage(self, linkage: LLVMLinkage) {
        llvm!(LLVMSetLinkage(self.0, linkage));
    }

    pub(crate) fn set_initializer(self, value: Value) {
        llvm!(LLVMSetInitializer(self.0, value.0));
    }

    /// The function that a call names, if it names one.
    pub(crate) fn callee(self) -> Option<Value> {
        Value::some(llvm!(LLVMGetCalledValue(self.0))).filter(|callee| callee.is_function())
    }

    /// The arguments of a call.
    pub(crate) fn arguments(self) -> Vec<Value> {
        (0..llvm!(LLVMGetNumArgOperands(self.0))).map(|index| self.operand(index)).collect()
    }

    /// Whether an instruction calls something.
    pub(crate) fn is_call(self) -> bool {
        use LLVMOpcode::{LLVMCall, LLVMCallBr, LLVMInvoke};
        self.is_instruction() && matches!(self.opcode(), LLVMCall | LLVMInvoke | LLVMCallBr)
    }
}

fn attribute_kind(name: &str) -> u32 {
    llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

/// The elements of one of LLVM's linked lists.
fn chain<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> Vec<*mut T> {
    let mut elements = Vec::new();
    let mut at = first;
    while !at.is_null() {
        elements.push(at);
        at = next(at);
    }
    elements
}

/// A loop of a function: its blocks with those of the loops in it.
pub(crate) struct Loop {
    pub(crate) header: Block,
    pub(crate) blocks: Vec<Block>,
    /// The blocks that go back to the header.
    pub(crate) latches: Vec<Block>,
}

impl Value {
    /// The loops of a function.
    pub(crate) fn loops(self) -> Vec<Loop> {
        unsafe extern "C" fn tell(state: *mut std::ffi::c_void, header: LLVMBasicBlockRef) {
            // SAFETY: the list that is given to the shim below, which is not used by anybody else meanwhile.
            let loops = unsafe { &mut *state.cast::<Vec<Loop>>() };
            loops.push(Loop { header: Block(header), blocks: Vec::new(), latches: Vec::new() });
        }
        unsafe extern "C" fn tell_block(
            state: *mut std::ffi::c_void,
            block: LLVMBasicBlockRef,
            goes_back: i32,
        ) {
            // SAFETY: as above.
            let loops = unsafe { &mut *state.cast::<Vec<Loop>>() };
            let Some(last) = loops.last_mut() else { return };
            last.blocks.push(Block(block));
            if goes_back != 0 {
                last.latches.push(Block(block));
            }
        }
        let mut loops: Vec<Loop> = Vec::new();
        llvm!(raddle_shim_loops(self.0, (&raw mut loops).cast(), tell, tell_block));
        loops
    }
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block(pub(crate) LLVMBasicBlockRef);

impl Block {
    pub(crate) fn instructions(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstInstruction(self.0));
        chain(first, |at| llvm!(LLVMGetNextInstruction(at))).into_iter().map(Value).collect()
    }
}

impl Block {
    /// Where instructions may be put first: behind phis and landing pads.
    pub(crate) fn first_place(self) -> Value {
        Value(llvm!(raddle_shim_first_place(self.0)))
    }

    /// The same for the first block of a function: behind its local variables.
    pub(crate) fn entry_place(self) -> Value {
        Value(llvm!(raddle_shim_entry_place(self.0)))
    }

    /// The function that it is part of.
    pub(crate) fn function(self) -> Value {
        Value(llvm!(LLVMGetBasicBlockParent(self.0)))
    }

    /// A new block on the way from here to another one; nothing if there is no place for it.
    pub(crate) fn split_edge_to(self, to: Block) -> Option<Block> {
        let between = llvm!(raddle_shim_split_edge(self.0, to.0));
        (!between.is_null()).then_some(Block(between))
    }

    /// Whether this block can go on with that one.
    pub(crate) fn leads_to(self, other: Block) -> bool {
        let end = self.terminator();
        let count = llvm!(LLVMGetNumSuccessors(end.0));
        (0..count).any(|index| Block(llvm!(LLVMGetSuccessor(end.0, index))) == other)
    }

    /// The instruction at the end.
    pub(crate) fn terminator(self) -> Value {
        Value(llvm!(LLVMGetBasicBlockTerminator(self.0)))
    }
}

/// The module that is being compiled.
#[derive(Clone, Copy)]
pub(crate) struct Module {
    pub(crate) module: LLVMModuleRef,
    pub(crate) context: LLVMContextRef,
}

impl Module {
    /// The caller has a live module.
    pub(crate) fn new(module: LLVMModuleRef) -> Module {
        Module { module, context: llvm!(LLVMGetModuleContext(module)) }
    }

    pub(crate) fn integer(self, bits: u32) -> Type {
        Type(llvm!(LLVMIntTypeInContext(self.context, bits)))
    }

    pub(crate) fn pointer(self) -> Type {
        Type(llvm!(LLVMPointerTypeInContext(self.context, 0)))
    }

    pub(crate) fn void(self) -> Type {
        Type(llvm!(LLVMVoidTypeInContext(self.context)))
    }

    pub(crate) fn structure(self, fields: &[Type]) -> Type {
        let mut types: Vec<LLVMTypeRef> = fields.iter().map(|each| each.0).collect();
        Type(llvm!(LLVMStructTypeInContext(self.context, types.as_mut_ptr(), types.len() as c_uint, 0)))
    }

    pub(crate) fn constant_structure(self, fields: &[Value]) -> Value {
        let mut values: Vec<LLVMValueRef> = fields.iter().map(|each| each.0).collect();
        Value(llvm!(LLVMConstStructInContext(self.context, values.as_mut_ptr(), values.len() as c_uint, 0)))
    }

    /// Bytes as a constant array, with a zero behind them if asked for.
    pub(crate) fn constant_bytes(self, bytes: &[u8], zero: bool) -> Value {
        let length = bytes.len();
        Value(llvm!(LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), length, i32::from(!zero))))
    }

    /// How many bytes a store of this type writes.
    pub(crate) fn store_size(self, of: Type) -> u64 {
        llvm!(LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.module), of.0))
    }

    /// How many bytes a variable of this type takes.
    pub(crate) fn size(self, of: Type) -> u64 {
        llvm!(LLVMABISizeOfType(LLVMGetModuleDataLayout(self.module), of.0))
    }

    /// Where a field of a structure lies.
    pub(crate) fn offset(self, of: Type, field: u32) -> u64 {
        llvm!(LLVMOffsetOfElement(LLVMGetModuleDataLayout(self.module), of.0, field))
    }

    pub(crate) fn alignment(self, of: Type) -> u64 {
        u64::from(llvm!(LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(self.module), of.0)))
    }

    pub(crate) fn functions(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstFunction(self.module));
        chain(first, |at| llvm!(LLVMGetNextFunction(at))).into_iter().map(Value).collect()
    }

    pub(crate) fn globals(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstGlobal(self.module));
        chain(first, |at| llvm!(LLVMGetNextGlobal(at))).into_iter().map(Value).collect()
    }

    pub(crate) fn function_named(self, name: &str) -> Option<Value> {
        Value::some(llvm!(LLVMGetNamedFunction(self.module, c_text(name).as_ptr())))
    }

    pub(crate) fn global_named(self, name: &str) -> Option<Value> {
        Value::some(llvm!(LLVMGetNamedGlobal(self.module, c_text(name).as_ptr())))
    }

    /// A function of this name and type, declared if the module has none.
    pub(crate) fn declare(self, name: &str, of: Type) -> Value {
        self.function_named(name)
            .unwrap_or_else(|| Value(llvm!(LLVMAddFunction(self.module, c_text(name).as_ptr(), of.0))))
    }

    /// A new global variable.
    pub(crate) fn add_global(self, of: Type, name: &str) -> Value {
        Value(llvm!(LLVMAddGlobal(self.module, of.0, c_text(name).as_ptr())))
    }

    /// A constant that nobody outside of the module sees.
    pub(crate) fn add_constant(self, value: Value, name: &str) -> Value {
        let global = self.add_global(value.type_of(), name);
        global.set_initializer(value);
        global.set_linkage(LLVMLinkage::LLVMPrivateLinkage);
        llvm!(LLVMSetGlobalConstant(global.0, 1));
        llvm!(LLVMSetUnnamedAddress(global.0, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr));
        global
    }

    /// A variable of every thread, defined in another library that is there from the start.
    pub(crate) fn declare_thread_local(self, of: Type, name: &str) -> Value {
        self.global_named(name).unwrap_or_else(|| {
            let global = self.add_global(of, name);
            llvm!(LLVMSetThreadLocalMode(global.0, LLVMThreadLocalMode::LLVMInitialExecTLSModel));
            global
        })
    }

    /// Gives a function an attribute without a value.
    pub(crate) fn add_attribute(self, function: Value, name: &str) {
        let attribute = llvm!(LLVMCreateEnumAttribute(self.context, attribute_kind(name), 0));
        llvm!(LLVMAddAttributeAtIndex(function.0, llvm_sys::LLVMAttributeFunctionIndex, attribute));
    }

    /// Keeps a global in the program although nobody refers to it.
    pub(crate) fn keep(self, global: Value) {
        llvm!(raddle_shim_keep(self.module, global.0));
    }

    /// Makes instructions of the constant expressions that use these globals.
    pub(crate) fn expand_uses(self, globals: &[Value]) {
        let mut handles: Vec<LLVMValueRef> = globals.iter().map(|each| each.0).collect();
        llvm!(raddle_shim_expand(handles.as_mut_ptr(), handles.len()));
    }

    /// The folder in which the module is compiled, and its file.
    pub(crate) fn folder_and_file(self) -> (String, String) {
        let mut file = std::ptr::null_mut();
        let folder = owned(llvm!(raddle_shim_folder(self.module, &mut file)));
        (folder, owned(file))
    }

    /// The functions that decide which implementation a name stands for. They run before the program is linked.
    pub(crate) fn resolvers(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstGlobalIFunc(self.module));
        let all = chain(first, |at| llvm!(LLVMGetNextGlobalIFunc(at)));
        all.into_iter().map(|each| Value(llvm!(LLVMGetGlobalIFuncResolver(each)))).collect()
    }

    /// A new empty block at the end of a function.
    pub(crate) fn add_block(self, function: Value) -> Block {
        Block(llvm!(LLVMAppendBasicBlockInContext(self.context, function.0, c"".as_ptr())))
    }

    /// An intrinsic function of LLVM for a type.
    pub(crate) fn intrinsic(self, name: &str, of: Type) -> (Value, Type) {
        let number = llvm!(LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()));
        let mut types = [of.0];
        let function = Value(llvm!(LLVMGetIntrinsicDeclaration(self.module, number, types.as_mut_ptr(), 1)));
        (function, function.function_type())
    }

    /// Marks a load as one whose value never changes while the function runs.
    pub(crate) fn mark_invariant(self, load: Value) {
        let name = "invariant.load";
        let kind = llvm!(LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), name.len() as c_uint));
        let empty = llvm!(LLVMMDNodeInContext2(self.context, std::ptr::null_mut(), 0));
        llvm!(LLVMSetMetadata(load.0, kind, LLVMMetadataAsValue(self.context, empty)));
    }
}

/// Adds instructions before a given one, with its place in the source.
pub(crate) struct Builder(LLVMBuilderRef);

impl Builder {
    pub(crate) fn before(module: Module, instruction: Value) -> Builder {
        let builder = llvm!(LLVMCreateBuilderInContext(module.context));
        llvm!(LLVMPositionBuilderBefore(builder, instruction.0));
        Builder(builder)
    }

    pub(crate) fn at_end(module: Module, block: Block) -> Builder {
        let builder = llvm!(LLVMCreateBuilderInContext(module.context));
        llvm!(LLVMPositionBuilderAtEnd(builder, block.0));
        Builder(builder)
    }

    pub(crate) fn alloca(&self, of: Type) -> Value {
        Value(llvm!(LLVMBuildAlloca(self.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn times(&self, one: Value, other: Value) -> Value {
        Value(llvm!(LLVMBuildMul(self.0, one.0, other.0, c"".as_ptr())))
    }

    /// The address of a field.
    pub(crate) fn field(&self, of: Type, structure: Value, index: u32) -> Value {
        Value(llvm!(LLVMBuildStructGEP2(self.0, of.0, structure.0, index, c"".as_ptr())))
    }

    pub(crate) fn branch(&self, condition: Value, then: Block, otherwise: Block) {
        llvm!(LLVMBuildCondBr(self.0, condition.0, then.0, otherwise.0));
    }

    pub(crate) fn give_back(&self, value: Value) {
        llvm!(LLVMBuildRet(self.0, value.0));
    }

    pub(crate) fn and(&self, one: Value, other: Value) -> Value {
        Value(llvm!(LLVMBuildAnd(self.0, one.0, other.0, c"".as_ptr())))
    }

    /// One value or the other.
    pub(crate) fn select(&self, condition: Value, then: Value, otherwise: Value) -> Value {
        Value(llvm!(LLVMBuildSelect(self.0, condition.0, then.0, otherwise.0, c"".as_ptr())))
    }

    /// A field of a value that is a structure.
    pub(crate) fn part(&self, structure: Value, index: u32) -> Value {
        Value(llvm!(LLVMBuildExtractValue(self.0, structure.0, index, c"".as_ptr())))
    }

    /// A structure with another value in one field.
    pub(crate) fn with_part(&self, structure: Value, part: Value, index: u32) -> Value {
        Value(llvm!(LLVMBuildInsertValue(self.0, structure.0, part.0, index, c"".as_ptr())))
    }

    pub(crate) fn load(&self, of: Type, from: Value) -> Value {
        Value(llvm!(LLVMBuildLoad2(self.0, of.0, from.0, c"".as_ptr())))
    }

    /// A load from an address that need not be aligned.
    pub(crate) fn load_bytes(&self, of: Type, from: Value) -> Value {
        let load = self.load(of, from);
        llvm!(LLVMSetAlignment(load.0, 1));
        load
    }

    pub(crate) fn store(&self, value: Value, to: Value) -> Value {
        Value(llvm!(LLVMBuildStore(self.0, value.0, to.0)))
    }

    pub(crate) fn is_not_zero(&self, value: Value) -> Value {
        let predicate = llvm_sys::LLVMIntPredicate::LLVMIntNE;
        Value(llvm!(LLVMBuildICmp(self.0, predicate, value.0, value.type_of().null().0, c"".as_ptr())))
    }

    pub(crate) fn pointer_to_integer(&self, value: Value, of: Type) -> Value {
        Value(llvm!(LLVMBuildPtrToInt(self.0, value.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn integer_to_pointer(&self, value: Value, of: Type) -> Value {
        Value(llvm!(LLVMBuildIntToPtr(self.0, value.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn integer_to_float(&self, value: Value, of: Type) -> Value {
        Value(llvm!(LLVMBuildUIToFP(self.0, value.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn bit_cast(&self, value: Value, of: Type) -> Value {
        Value(llvm!(LLVMBuildBitCast(self.0, value.0, of.0, c"".as_ptr())))
    }

    /// An integer, widened or cut to a width, without sign.
    pub(crate) fn resize(&self, value: Value, of: Type) -> Value {
        if value.type_of() == of {
            return value;
        }
        Value(llvm!(LLVMBuildIntCast2(self.0, value.0, of.0, 0, c"".as_ptr())))
    }

    pub(crate) fn call(&self, function: Value, of: Type, arguments: &[Value]) -> Value {
        let mut values: Vec<LLVMValueRef> = arguments.iter().map(|each| each.0).collect();
        let count = values.len() as c_uint;
        Value(llvm!(LLVMBuildCall2(self.0, of.0, function.0, values.as_mut_ptr(), count, c"".as_ptr())))
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        llvm!(LLVMDisposeBuilder(self.0));
    }
}

/// Splits the block before an instruction; what is put before the returned instruction runs if the condition holds, which
/// is unlikely.
pub(crate) fn guard(before: Value, condition: Value) -> Value {
    Value(llvm!(raddle_shim_guard(before.0, condition.0)))
}
