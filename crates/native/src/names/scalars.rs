//! The static variables of a program, down to what holds one number.

use super::types::{DEEPEST, Holds, Type, TypeId};
use super::{Symbols, Variable};

/// More elements of one array are not looked at.
const MOST_ELEMENTS: u64 = 16;
/// More numbers of one program are not looked at.
const MOST: usize = 256;

/// A static variable, or a part of one, that holds one number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// What the program calls it.
    pub name: String,
    /// How far from where the program is loaded.
    pub offset: u64,
    /// How many bytes: one, two, four or eight.
    pub bytes: u32,
    /// What the bytes mean.
    pub holds: Holds,
}

impl Symbols {
    /// The static variables that the debug information describes, in the order of their addresses.
    #[must_use]
    pub fn scalars(&self) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        for Variable { start, name, type_id, .. } in &self.variables {
            // What begins with two underscores is the compiler's, or the library's.
            if let Some(type_id) = type_id.filter(|_| !name.starts_with("__")) {
                self.add(&mut scalars, *start, name.clone(), type_id, DEEPEST);
            }
        }
        scalars.dedup_by_key(|scalar| scalar.offset);
        scalars
    }

    fn add(&self, scalars: &mut Vec<Scalar>, offset: u64, name: String, type_id: TypeId, deepest: usize) {
        let (Some(deepest), Some(kind)) = (deepest.checked_sub(1), self.types.0.get(&type_id)) else {
            return;
        };
        match kind {
            Type::Plain { size: bytes @ (1 | 2 | 4 | 8), holds } if scalars.len() < MOST => {
                scalars.push(Scalar { name, offset, bytes: *bytes as u32, holds: *holds });
            }
            Type::Plain { .. } => {}
            Type::Alias(of) => self.add(scalars, offset, name, *of, deepest),
            Type::Record { members, .. } => {
                // A lock is a lock, whatever it is made of.
                for member in members.iter().filter(|member| !member.name.starts_with('_')) {
                    let dot = if member.name.is_empty() { "" } else { "." };
                    let name = format!("{name}{dot}{}", member.name);
                    self.add(scalars, offset + member.offset, name, member.type_id, deepest);
                }
            }
            Type::Array { element, dimensions } => {
                let each = self.types.size(*element);
                let count = dimensions.iter().product::<u64>();
                let shown = if each == 0 { 0 } else { count.min(MOST_ELEMENTS) };
                for index in 0..shown {
                    let name = format!("{name}{}", subscripts(index, dimensions));
                    self.add(scalars, offset + index * each, name, *element, deepest);
                }
            }
        }
    }
}

/// How one writes an element of an array, which is so many elements after the first.
fn subscripts(index: u64, dimensions: &[u64]) -> String {
    let mut rest = index;
    let mut parts: Vec<String> = Vec::new();
    for count in dimensions.iter().rev() {
        parts.push(format!("[{}]", rest % count.max(&1)));
        rest /= count.max(&1);
    }
    parts.reverse();
    parts.concat()
}

impl Scalar {
    /// What the variable holds, as one would write it. An address says nothing, only whether there is one.
    #[must_use]
    pub fn show(&self, bits: u64) -> String {
        let unused = 64 - 8 * self.bytes.clamp(1, 8);
        match (self.holds, self.bytes) {
            (Holds::Signed, _) => ((bits << unused) as i64 >> unused).to_string(),
            (Holds::Floating, 4) => f32::from_bits(bits as u32).to_string(),
            (Holds::Floating, 8) => f64::from_bits(bits).to_string(),
            (Holds::Pointer, _) => if bits == 0 { "null" } else { "not null" }.to_owned(),
            _ => bits.to_string(),
        }
    }
}
