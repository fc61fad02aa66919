//! Instruments a module: first everything is looked at, then everything is changed.

use std::collections::BTreeSet;

use crate::accesses::{self, Access};
use crate::llvm::{Module, Place, Value};
use crate::model::Model;
use crate::names::Names;
use crate::private::Private;
use crate::runtime::Runtime;
use crate::sites::Sites;
use crate::{assembly, calls, conventions, frames, hooks, locals, variables, waiting};

/// What of a function has to be told.
struct Findings {
    function: Value,
    told: Vec<Told>,
    loops: Vec<waiting::Told>,
    variables: Vec<variables::Variable>,
}

/// An access that is told: where, and what it touches in the words of the source.
struct Told {
    instruction: Value,
    access: Access,
    place: Place,
    name: Option<String>,
}

/// Instruments a module.
pub(crate) fn module(module: Module) {
    calls::rename_allocation(module);
    conventions::define_inputs(module);
    let mut model = Model::new(module);
    let resolvers = module.resolvers();
    let functions: Vec<Value> = module
        .functions()
        .into_iter()
        .filter(|each| !each.is_declaration() && !resolvers.contains(each) && !each.has_attribute("naked"))
        .collect();
    let runtime = Runtime::declare(module);
    let addresses = locals::relocate(module, &runtime);
    calls::correct_assumptions(module, &runtime);
    calls::shorten_waiting(module, &runtime, &functions);
    calls::trust_library_locks(&functions);
    let names = Names::new(module, addresses.all.clone());
    let found: Vec<Findings> =
        functions.iter().map(|function| look(module, *function, &addresses.private, &names)).collect();
    let loud = found
        .iter()
        .filter(|each| !each.told.is_empty() || calls::is_atomic_function(each.function))
        .map(|each| each.function)
        .collect();
    let mut quiet = frames::quiet(&functions, &loud);
    quiet.extend(addresses.all.into_keys());
    let mut sites = Sites::new(module);
    for each in found {
        model.function(each.function);
        change(module, &runtime, &each, &quiet, &mut sites, &mut model);
    }
    model.emit(module);
}

fn look(module: Module, function: Value, addresses: &BTreeSet<Value>, names: &Names) -> Findings {
    let mut private = Private::new(addresses);
    let mut told = Vec::new();
    for instruction in function.instructions() {
        for access in accesses::of(module, instruction, &mut private) {
            let name = access.pointer().and_then(|pointer| names.of(pointer));
            told.push(Told { instruction, access, place: place_of(function, instruction), name });
        }
    }
    Findings { function, told, loops: waiting::find(function), variables: variables::find(function) }
}

fn change(
    module: Module,
    runtime: &Runtime,
    found: &Findings,
    quiet: &BTreeSet<Value>,
    sites: &mut Sites,
    model: &mut Model,
) {
    let function = found.function;
    if !quiet.contains(&function) {
        // What its author promised the optimiser is true of the function, but not of what it tells the runtime.
        for promise in PROMISES {
            function.remove_attribute(promise);
        }
    }
    let accesses: BTreeSet<Value> = found.told.iter().map(|told| told.instruction).collect();
    let is_heard = |each: &Value| accesses.contains(each) || each.is_call() && frames::is_heard(*each, quiet);
    let is_told = |each: &&waiting::Told| each.only_waits || each.round.iter().any(is_heard);
    for each in found.loops.iter().filter(|_| !quiet.contains(&function)).filter(is_told) {
        let places = each.backs.iter().map(|back| sites.site(&place_of(function, *back), None));
        let places: Vec<Value> = places.collect();
        waiting::emit(module, runtime, each, &places);
    }
    let mut named = Vec::new();
    for call in function.instructions().into_iter().filter(|each| each.is_call()) {
        if assembly::is_uncontrolled(call) {
            model.uncontrolled(&format!("inline assembly at {}", place_of(function, call).shown()));
        }
        if conventions::is_error(call) {
            conventions::end_before(module, runtime, call, sites.site(&place_of(function, call), None));
        }
        if frames::is_heard(call, quiet) {
            for promise in PROMISES {
                call.remove_call_attribute(promise);
            }
            let place = place_of(function, call);
            model.site(&place, "call");
            let site = sites.site(&place, call.callee().map(called_name));
            named.push(frames::Call { instruction: call, site });
        }
    }
    frames::emit(module, runtime, function, &named);
    calls::bracket_atomic(module, runtime, function);
    conventions::assume(module, runtime, function);
    for Told { instruction, access, place, name } in &found.told {
        model.site(place, access.kind());
        let site = sites.site(place, name.clone());
        hooks::emit(module, runtime, *instruction, access, site);
    }
    if !quiet.contains(&function) {
        let place = |each| place_of(function, each);
        variables::emit(module, runtime, function, &found.variables, place, sites);
    }
}

/// Attributes by which LLVM would leave out, move or join calls of a function.
const PROMISES: &[&str] = &["memory", "nosync", "nofree", "willreturn", "speculatable", "norecurse"];

/// The name of a function as the source has it.
fn called_name(function: Value) -> String {
    if function.is_declaration() {
        return calls::source_name(&function.name()).to_owned();
    }
    function.function_place().function
}

/// Where an instruction stands; in code without debug information only the function is known.
fn place_of(function: Value, instruction: Value) -> Place {
    instruction.place().unwrap_or_else(|| Place {
        file: String::new(),
        function: function.name(),
        line: 0,
        column: 0,
    })
}
