//! The functions and variables of the runtime that instrumented code uses. Their meaning stands in the documents of
//! `raddle-native-runtime`.

use crate::llvm::{Builder, Module, Type, Value};

/// A function of the runtime.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    pub(crate) function: Value,
    pub(crate) of: Type,
}

/// What the runtime exports.
pub(crate) struct Runtime {
    /// `uint8_t __raddle_active`: not zero while a controlled run is made.
    pub(crate) active: Value,
    pub(crate) read: Function,
    pub(crate) write: Function,
    pub(crate) copy: Function,
    pub(crate) fill: Function,
    pub(crate) load: Function,
    pub(crate) store: Function,
    pub(crate) rmw: Function,
    pub(crate) compare_exchange: Function,
    pub(crate) fence: Function,
    pub(crate) wait: Function,
    pub(crate) round: Function,
    pub(crate) begin: Function,
    pub(crate) born: Function,
    pub(crate) left: Function,
    pub(crate) error: Function,
    pub(crate) assume: Function,
    pub(crate) library: Function,
    /// `struct raddle_frame *__raddle_top`: the innermost frame of the shadow call stack.
    pub(crate) top: Value,
    /// `struct raddle_frame { struct raddle_frame *up; const struct raddle_site *call; }`
    pub(crate) frame: Type,
    pub(crate) thread_local: Function,
    pub(crate) atomic_begin: Function,
    pub(crate) atomic_end: Function,
}

impl Runtime {
    pub(crate) fn declare(module: Module) -> Runtime {
        let (at, wide, word) = (module.pointer(), module.integer(64), module.integer(32));
        let hook_returning = |result: Type, name: &str, parameters: &[Type]| {
            let of = result.function(parameters);
            let function = module.declare(name, of);
            // The path on which a hook is called is the rare one; and a hook never unwinds into the program.
            module.add_attribute(function, "cold");
            module.add_attribute(function, "nounwind");
            Function { function, of }
        };
        let hook = |name: &str, parameters: &[Type]| hook_returning(module.void(), name, parameters);
        let active = module
            .global_named("__raddle_active")
            .unwrap_or_else(|| module.add_global(module.integer(8), "__raddle_active"));
        Runtime {
            active,
            read: hook("__raddle_read", &[at, wide, at]),
            write: hook("__raddle_write", &[at, wide, wide, at]),
            copy: hook("__raddle_copy", &[at, at, wide, at]),
            fill: hook("__raddle_fill", &[at, wide, wide, at]),
            load: hook("__raddle_load", &[at, wide, word, at]),
            store: hook("__raddle_store", &[at, wide, wide, word, at]),
            rmw: hook("__raddle_rmw", &[at, wide, word, wide, word, at]),
            compare_exchange: hook_returning(
                module.integer(8),
                "__raddle_compare_exchange",
                &[at, wide, wide, wide, word, word, word, at],
            ),
            fence: hook("__raddle_fence", &[word, at]),
            wait: hook("__raddle_wait", &[at]),
            round: hook("__raddle_round", &[at, at]),
            begin: hook("__raddle_begin", &[at]),
            born: hook("__raddle_born", &[at, wide]),
            left: hook("__raddle_left", &[at, wide, at]),
            error: hook("__raddle_error", &[at]),
            assume: hook("raddle_assume", &[word]),
            library: hook("__raddle_library", &[word, word, wide, wide, wide, at]),
            top: module.declare_thread_local(at, "__raddle_top"),
            frame: module.structure(&[at, at]),
            thread_local: function(module, "__raddle_thread_local", at.function(&[at])),
            atomic_begin: function(module, "__VERIFIER_atomic_begin", module.void().function(&[])),
            atomic_end: function(module, "__VERIFIER_atomic_end", module.void().function(&[])),
        }
    }

    /// Whether a run is controlled: a value that is not zero.
    pub(crate) fn is_active(&self, module: Module, builder: &Builder) -> Value {
        let active = builder.load(module.integer(8), self.active);
        // It is settled before the program starts. Told so, LLVM asks once for a whole loop.
        module.mark_invariant(active);
        builder.is_not_zero(active)
    }
}

fn function(module: Module, name: &str, of: Type) -> Function {
    Function { function: module.declare(name, of), of }
}
