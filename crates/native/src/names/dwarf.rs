//! Reading variables and types from DWARF.

use std::borrow::Cow;

use gimli::{AttributeValue, EndianSlice, Operation, RunTimeEndian, UnitOffset, constants as c};
use object::{Object, ObjectSection};

use super::types::{Holds, Member, Type, TypeId};
use super::{Symbols, Variable};

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
type Entry<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;

/// Adds the variables and types that the debug information describes.
pub(super) fn read(file: &object::File<'_>, symbols: &mut Symbols) -> Result<(), gimli::Error> {
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let section = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
        let found = file.section_by_name(id.name());
        Ok(found.and_then(|section| section.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(section)?;
    let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, endian));
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let Some(start) = header.debug_info_offset().map(|offset| offset.0) else { continue };
        let unit = dwarf.unit(header)?;
        Reader { dwarf: &dwarf, unit: &unit, start, symbols }.read()?;
    }
    let types = std::mem::take(&mut symbols.types);
    for variable in &mut symbols.variables {
        variable.size = variable.type_id.map_or(0, |id| types.size(id)).max(1);
    }
    symbols.types = types;
    Ok(())
}

struct Reader<'r, 'a> {
    dwarf: &'r gimli::Dwarf<Slice<'a>>,
    unit: &'r gimli::Unit<Slice<'a>>,
    /// Where the unit begins: types are named by their place in the whole section.
    start: usize,
    symbols: &'r mut Symbols,
}

impl<'a> Reader<'_, 'a> {
    fn read(&mut self) -> Result<(), gimli::Error> {
        let unit = self.unit;
        let mut entries = unit.entries();
        // The entries above the current one: where members and dimensions belong to.
        let mut above: Vec<(isize, TypeId)> = Vec::new();
        while let Some(entry) = entries.next_dfs()? {
            let depth = entry.depth();
            above.truncate(above.partition_point(|(level, _)| *level < depth));
            let parent = above.last().filter(|(level, _)| *level == depth - 1).map(|(_, id)| *id);
            let id = self.id(entry.offset());
            if self.entry(entry, id, parent)? {
                above.push((depth, id));
            }
        }
        Ok(())
    }

    /// Reads one entry; true if it is a type that has parts.
    fn entry(&mut self, entry: &Entry<'a>, id: TypeId, parent: Option<TypeId>) -> Result<bool, gimli::Error> {
        let size = number(entry, c::DW_AT_byte_size).unwrap_or(0);
        let made = match entry.tag() {
            c::DW_TAG_base_type => Type::Plain { size, holds: holds(entry) },
            c::DW_TAG_enumeration_type => Type::Plain { size, holds: Holds::Signed },
            c::DW_TAG_pointer_type | c::DW_TAG_reference_type | c::DW_TAG_rvalue_reference_type => {
                Type::Plain { size: if size == 0 { 8 } else { size }, holds: Holds::Pointer }
            }
            c::DW_TAG_typedef
            | c::DW_TAG_const_type
            | c::DW_TAG_volatile_type
            | c::DW_TAG_atomic_type
            | c::DW_TAG_restrict_type => match self.type_of(entry) {
                Some(of) => Type::Alias(of),
                None => Type::Plain { size: 0, holds: Holds::Other },
            },
            c::DW_TAG_structure_type | c::DW_TAG_class_type | c::DW_TAG_union_type => {
                Type::Record { size, members: Vec::new() }
            }
            c::DW_TAG_array_type => match self.type_of(entry) {
                Some(element) => Type::Array { element, dimensions: Vec::new() },
                None => Type::Plain { size, holds: Holds::Other },
            },
            c::DW_TAG_member | c::DW_TAG_inheritance => {
                self.member(entry, parent)?;
                return Ok(false);
            }
            c::DW_TAG_subrange_type => {
                self.dimension(entry, parent);
                return Ok(false);
            }
            c::DW_TAG_variable => {
                self.variable(entry)?;
                return Ok(false);
            }
            _ => return Ok(false),
        };
        self.symbols.types.0.insert(id, made);
        Ok(true)
    }

    fn member(&mut self, entry: &Entry<'a>, parent: Option<TypeId>) -> Result<(), gimli::Error> {
        let (Some(parent), Some(type_id)) = (parent, self.type_of(entry)) else { return Ok(()) };
        // Without an offset it is a static member, which lies elsewhere, or the member of a union.
        let offset = number(entry, c::DW_AT_data_member_location).unwrap_or(0);
        if entry.attr(c::DW_AT_external).is_some() {
            return Ok(());
        }
        let name = self.name(entry)?.unwrap_or_default();
        if let Some(Type::Record { members, .. }) = self.symbols.types.0.get_mut(&parent) {
            members.push(Member { name, offset, type_id });
        }
        Ok(())
    }

    fn dimension(&mut self, entry: &Entry<'a>, parent: Option<TypeId>) {
        let count = number(entry, c::DW_AT_count)
            .or_else(|| number(entry, c::DW_AT_upper_bound).map(|last| last.saturating_add(1)))
            .unwrap_or(0);
        let array = parent.and_then(|parent| self.symbols.types.0.get_mut(&parent));
        if let Some(Type::Array { dimensions, .. }) = array {
            dimensions.push(count);
        }
    }

    fn variable(&mut self, entry: &Entry<'a>) -> Result<(), gimli::Error> {
        let Some(start) = self.address(entry)? else { return Ok(()) };
        let (mut name, mut type_id) = (self.name(entry)?, self.type_of(entry));
        // The definition of a static member says only which declaration it belongs to.
        if let Some(AttributeValue::UnitRef(at)) = entry.attr_value(c::DW_AT_specification) {
            let declaration = self.unit.entry(at)?;
            name = match name {
                Some(name) => Some(name),
                None => self.name(&declaration)?,
            };
            type_id = type_id.or_else(|| self.type_of(&declaration));
        }
        if let Some(name) = name {
            self.symbols.variables.push(Variable { start, size: 1, name, type_id });
        }
        Ok(())
    }

    /// Where a variable lies, if it always lies in the same place.
    fn address(&self, entry: &Entry<'a>) -> Result<Option<u64>, gimli::Error> {
        let Some(AttributeValue::Exprloc(expression)) = entry.attr_value(c::DW_AT_location) else {
            return Ok(None);
        };
        let mut operations = expression.operations(self.unit.encoding());
        let first = operations.next()?;
        // Whatever follows makes it something else, a thread-local variable for one.
        if operations.next()?.is_some() {
            return Ok(None);
        }
        match first {
            Some(Operation::Address { address }) => Ok(Some(address)),
            Some(Operation::AddressIndex { index }) => self.dwarf.address(self.unit, index).map(Some),
            _ => Ok(None),
        }
    }

    fn name(&self, entry: &Entry<'a>) -> Result<Option<String>, gimli::Error> {
        let Some(value) = entry.attr_value(c::DW_AT_name) else { return Ok(None) };
        let text = self.dwarf.attr_string(self.unit, value)?;
        Ok(Some(String::from_utf8_lossy(text.slice()).into_owned()))
    }

    fn type_of(&self, entry: &Entry<'a>) -> Option<TypeId> {
        match entry.attr_value(c::DW_AT_type)? {
            AttributeValue::UnitRef(at) => Some(self.id(at)),
            AttributeValue::DebugInfoRef(at) => Some(at.0),
            _ => None,
        }
    }

    fn id(&self, at: UnitOffset) -> TypeId {
        self.start + at.0
    }
}

/// What the values of a basic type mean.
fn holds(entry: &Entry<'_>) -> Holds {
    let Some(AttributeValue::Encoding(encoding)) = entry.attr_value(c::DW_AT_encoding) else {
        return Holds::Other;
    };
    match encoding {
        c::DW_ATE_signed | c::DW_ATE_signed_char => Holds::Signed,
        c::DW_ATE_unsigned | c::DW_ATE_unsigned_char | c::DW_ATE_boolean | c::DW_ATE_UTF => Holds::Unsigned,
        c::DW_ATE_float => Holds::Floating,
        _ => Holds::Other,
    }
}

fn number(entry: &Entry<'_>, attribute: c::DwAt) -> Option<u64> {
    entry.attr_value(attribute)?.udata_value()
}
