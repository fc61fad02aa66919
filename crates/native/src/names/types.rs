//! Types, as far as they give names to parts of a variable.

use std::collections::BTreeMap;

/// Where a type is described; unique in a module.
pub(super) type TypeId = usize;

/// More levels than any sensible program nests; damaged debug information can be a circle.
pub(super) const DEEPEST: usize = 32;

/// What the bytes of a value mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// A number that can be negative.
    Signed,
    /// A number that cannot.
    Unsigned,
    /// A floating-point number.
    Floating,
    /// An address.
    Pointer,
    /// Something else.
    Other,
}

/// One type.
#[derive(Clone, Debug)]
pub(super) enum Type {
    /// Nothing inside has a name.
    Plain { size: u64, holds: Holds },
    /// Another name, a qualifier.
    Alias(TypeId),
    /// A structure, class or union.
    Record { size: u64, members: Vec<Member> },
    /// An array; the sizes of its dimensions from the outermost.
    Array { element: TypeId, dimensions: Vec<u64> },
}

/// A part of a structure.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Empty for a base class or an unnamed union.
    pub(super) name: String,
    pub(super) offset: u64,
    pub(super) type_id: TypeId,
}

/// The types of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Types(pub(super) BTreeMap<TypeId, Type>);

impl Types {
    /// How many bytes a value takes; zero if that is not known.
    pub(super) fn size(&self, type_id: TypeId) -> u64 {
        self.size_within(type_id, DEEPEST)
    }

    fn size_within(&self, type_id: TypeId, deepest: usize) -> u64 {
        if deepest == 0 {
            return 0;
        }
        match self.0.get(&type_id) {
            None => 0,
            Some(Type::Plain { size, .. } | Type::Record { size, .. }) => *size,
            Some(Type::Alias(of)) => self.size_within(*of, deepest - 1),
            Some(Type::Array { element, dimensions }) => dimensions
                .iter()
                .fold(self.size_within(*element, deepest - 1), |size, count| size.saturating_mul(*count)),
        }
    }

    /// The name of what lies `offset` bytes into a variable, as one would write it.
    pub(super) fn path(&self, variable: &str, type_id: TypeId, offset: u64) -> String {
        let mut path = variable.to_owned();
        let (mut type_id, mut offset) = (type_id, offset);
        for _ in 0..DEEPEST {
            match self.0.get(&type_id) {
                None | Some(Type::Plain { .. }) => break,
                Some(Type::Alias(of)) => type_id = *of,
                Some(Type::Record { members, .. }) => {
                    let Some(member) = self.member(members, offset) else { break };
                    if !member.name.is_empty() {
                        path.push('.');
                        path.push_str(&member.name);
                    }
                    (type_id, offset) = (member.type_id, offset - member.offset);
                }
                Some(Type::Array { element, dimensions }) => {
                    let mut each = self.size(*element);
                    if each == 0 {
                        break;
                    }
                    each *= dimensions.iter().skip(1).product::<u64>();
                    for (level, _) in dimensions.iter().enumerate() {
                        path.push_str(&format!("[{}]", offset / each.max(1)));
                        offset %= each.max(1);
                        each /= dimensions.get(level + 1).copied().unwrap_or(1).max(1);
                    }
                    type_id = *element;
                }
            }
        }
        path
    }

    /// The member at this offset. Names that begin with an underscore are the library's own: a lock is a lock, whatever
    /// it is made of.
    fn member<'a>(&self, members: &'a [Member], offset: u64) -> Option<&'a Member> {
        members.iter().find(|member| {
            let inside = offset
                .checked_sub(member.offset)
                .is_some_and(|within| within < self.size(member.type_id).max(1));
            inside && !member.name.starts_with('_')
        })
    }
}
