//! The LLVM pass that makes C and C++ programs tell the runtime what they do.
//!
//! clang loads this library with `-fpass-plugin=`. The pass runs first of all, after the promotion of local variables to
//! registers, so that every access of the source is still there; the optimisation that the user asked for follows.
//!
//! In the order in which a module is treated:
//! - `llvm`: handles to LLVM's objects.
//! - `runtime`: the functions and variables of the runtime that instrumented code uses.
//! - `accesses`, `library`, `assembly`: what an instruction, the call of a known function, or inline assembly does to memory.
//! - `private`: which memory no other thread can touch.
//! - `structures`, `names`: what is touched, in the words of the source.
//! - `sites`: places in the source, as constants of the program.
//! - `locals`: thread-local variables, per fiber.
//! - `calls`: calls that mean something else under test.
//! - `frames`: the shadow call stack.
//! - `hooks`: the calls before accesses.
//! - `model`: what the module leaves in the program about itself.
//! - `instrument`: all of this, in order.

mod accesses;
mod assembly;
mod calls;
mod conventions;
mod frames;
mod hooks;
mod instrument;
mod library;
mod llvm;
mod locals;
mod model;
mod names;
mod private;
mod runtime;
mod sites;
mod structures;
mod texts;
mod variables;
mod waiting;

use std::ffi::{c_char, c_void};

use llvm_sys::prelude::LLVMModuleRef;

/// What clang asks a plugin for, as LLVM lays it out (`llvm/Passes/PassPlugin.h`).
#[repr(C)]
pub struct PluginInfo {
    version: u32,
    name: *const c_char,
    plugin_version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
}

unsafe extern "C" {
    /// Puts the pass into the pipeline that clang is building; in C++.
    fn raddle_shim_register(builder: *mut c_void);
}

/// The entry point of the plugin: clang looks for this name.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    PluginInfo {
        version: 1,
        name: c"raddle".as_ptr(),
        plugin_version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register: raddle_shim_register,
    }
}

/// Instruments one module. Called by the shim.
///
/// # Safety
/// `module` is the module that clang is compiling, and nobody else uses it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_pass_run(module: LLVMModuleRef) {
    let module = llvm::Module::new(module);
    instrument::module(module);
}
