//! Places in the source, as constants of the program: `struct raddle_site`.

use std::collections::BTreeMap;

use crate::llvm::{Module, Place, Value};

/// The sites of a module. Equal ones are one constant.
pub(crate) struct Sites {
    module: Module,
    texts: BTreeMap<String, Value>,
    sites: BTreeMap<Key, Value>,
}

/// What tells two sites apart: file, function, what is touched or called, line, column.
type Key = (String, String, Option<String>, u32, u32);

/// Marks the column of a site in a header of the system, which is shown only if no code of the programmer's led there.
const LIBRARY: u32 = 1 << 31;

/// Whether a file belongs to the system's libraries.
fn is_library(file: &str) -> bool {
    file.starts_with("/usr/include/") || file.starts_with("/usr/lib")
}

impl Sites {
    pub(crate) fn new(module: Module) -> Sites {
        Sites { module, texts: BTreeMap::new(), sites: BTreeMap::new() }
    }

    /// The address of the site of an instruction.
    pub(crate) fn site(&mut self, place: &Place, name: Option<String>) -> Value {
        let key = (place.file.clone(), place.function.clone(), name, place.line, place.column);
        if let Some(site) = self.sites.get(&key) {
            return *site;
        }
        let file = self.text(&key.0);
        let function = self.text(&key.1);
        let name = match &key.2 {
            Some(name) => self.text(name),
            None => self.module.pointer().null(),
        };
        let word = self.module.integer(32);
        let fields = [
            file,
            function,
            name,
            word.constant(u64::from(place.line)),
            word.constant(u64::from(place.column | if is_library(&place.file) { LIBRARY } else { 0 })),
        ];
        let site = self.module.add_constant(self.module.constant_structure(&fields), "raddle.site");
        self.sites.insert(key, site);
        site
    }

    fn text(&mut self, text: &str) -> Value {
        let module = self.module;
        *self.texts.entry(text.to_owned()).or_insert_with(|| {
            module.add_constant(module.constant_bytes(text.as_bytes(), true), "raddle.text")
        })
    }
}
