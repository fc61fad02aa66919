//! What the module leaves in the program about itself: the section `.raddle.model`, text lines of fields parted by tabs.
//! `raddle-instrument` reads it.

use std::collections::BTreeSet;

use llvm_sys::core::{LLVMSetAlignment, LLVMSetSection};

use crate::calls::source_name;
use crate::llvm::{Module, Place, Value, llvm};

/// The lines.
pub(crate) struct Model {
    text: String,
}

impl Model {
    /// Begins with what the module is and what it calls. Asked before the module is changed.
    pub(crate) fn new(module: Module) -> Model {
        let (folder, file) = module.folder_and_file();
        let mut model = Model { text: String::new() };
        model.line(&["module", &folder, &file]);
        let externals: BTreeSet<String> = module
            .functions()
            .into_iter()
            .filter(|each| each.is_declaration() && !each.is_intrinsic() && !each.users().is_empty())
            .map(|each| source_name(&each.name()).to_owned())
            .collect();
        for name in &externals {
            model.line(&["external", name]);
        }
        model
    }

    pub(crate) fn function(&mut self, function: Value) {
        let place = function.function_place();
        self.line(&["function", &place.function, &place.file, &place.line.to_string(), &function.name()]);
    }

    pub(crate) fn site(&mut self, place: &Place, kind: &str) {
        let (line, column) = (place.line.to_string(), place.column.to_string());
        self.line(&["site", &place.file, &line, &column, &place.function, kind]);
    }

    /// Something that no hook can tell of.
    pub(crate) fn uncontrolled(&mut self, what: &str) {
        self.line(&["uncontrolled", what]);
    }

    fn line(&mut self, fields: &[&str]) {
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                self.text.push('\t');
            }
            self.text.push_str(&field.replace(['\t', '\n', '\0'], " "));
        }
        self.text.push('\n');
    }

    /// Puts the lines into the module.
    pub(crate) fn emit(self, module: Module) {
        let global = module.add_constant(module.constant_bytes(self.text.as_bytes(), false), "raddle.model");
        llvm!(LLVMSetSection(global.0, c".raddle.model".as_ptr()));
        // The linker puts the texts of all modules behind each other, without gaps.
        llvm!(LLVMSetAlignment(global.0, 1));
        module.keep(global);
    }
}
