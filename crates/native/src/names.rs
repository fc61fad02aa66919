//! Names of static memory from debug information: an offset in a module becomes `balance`, `fork[1]`, `queue.mutex`.

mod dwarf;
mod scalars;
mod types;

use std::path::Path;

use object::{Object, ObjectSymbol, SymbolKind};

pub use self::scalars::Scalar;
pub use self::types::Holds;
use self::types::{TypeId, Types};

/// A variable with static storage.
#[derive(Clone, Debug)]
struct Variable {
    /// Where it lies, from where the module is loaded.
    start: u64,
    /// Its bytes; at least one.
    size: u64,
    name: String,
    type_id: Option<TypeId>,
}

/// The static variables of one module, by address.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    variables: Vec<Variable>,
    types: Types,
    /// Where functions begin, and what they are called.
    functions: Vec<(u64, String)>,
}

impl Symbols {
    /// Reads a program or library. What cannot be read has no names: they are a comfort, not a need.
    #[must_use]
    pub fn of(path: &Path) -> Symbols {
        std::fs::read(path).map(|bytes| Symbols::read(&bytes)).unwrap_or_default()
    }

    fn read(bytes: &[u8]) -> Symbols {
        let Ok(file) = object::File::parse(bytes) else { return Symbols::default() };
        let mut symbols = Symbols::default();
        // A module whose debug information is damaged still has its symbol table.
        if dwarf::read(&file, &mut symbols).is_err() {
            symbols = Symbols::default();
        }
        let described: Vec<u64> = symbols.variables.iter().map(|variable| variable.start).collect();
        let data = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.size() > 0);
        for symbol in data.filter(|symbol| !described.contains(&symbol.address())) {
            let name = symbol.name().unwrap_or_default().to_owned();
            symbols.variables.push(Variable {
                start: symbol.address(),
                size: symbol.size(),
                name,
                type_id: None,
            });
        }
        let code = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
        symbols.functions =
            code.filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?.to_owned()))).collect();
        symbols.functions.sort();
        symbols.variables.retain(|variable| !variable.name.is_empty());
        symbols.variables.sort_by(|a, b| (a.start, &a.name).cmp(&(b.start, &b.name)));
        symbols
    }

    /// What the function that begins at this offset is called by the linker.
    #[must_use]
    pub fn function(&self, offset: u64) -> Option<&str> {
        let at = self.functions.binary_search_by_key(&offset, |(start, _)| *start).ok()?;
        Some(&self.functions[at].1)
    }

    /// What the program calls the memory at this offset.
    #[must_use]
    pub fn name(&self, offset: u64) -> Option<String> {
        let after = self.variables.partition_point(|variable| variable.start <= offset);
        let inside = |variable: &&Variable| offset - variable.start < variable.size;
        let variable = self.variables[..after].iter().rev().take(4).find(inside)?;
        let within = offset - variable.start;
        Some(match variable.type_id {
            Some(type_id) => self.types.path(&variable.name, type_id, within),
            None if within == 0 => variable.name.clone(),
            None => format!("{}+{within}", variable.name),
        })
    }
}

#[cfg(test)]
mod tests;
