//! The structures of the source, from the debug information: which member lies where.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};

use llvm_sys::prelude::LLVMModuleRef;

use crate::llvm::{Module, llvm};

/// What is told of a structure and of a member, see the shim.
type Tell = extern "C" fn(*mut c_void, *const c_void, *const c_char, u64);
type TellMember = extern "C" fn(*mut c_void, *const c_void, *const c_char, u64, u64, *const c_void, c_int);

unsafe extern "C" {
    fn raddle_shim_structures(module: LLVMModuleRef, state: *mut c_void, tell: Tell, tell_member: TellMember);
}

/// The structures of a module.
#[derive(Default)]
pub(crate) struct Structures {
    /// By their names, without the arguments of templates: LLVM's types do not have them either.
    by_name: BTreeMap<String, Vec<usize>>,
    by_id: BTreeMap<usize, Structure>,
}

#[derive(Default)]
struct Structure {
    size: u64,
    members: Vec<Member>,
}

/// A member that was looked for.
pub(crate) struct Found {
    /// Empty for a base class and for a structure without a name inside of another.
    pub(crate) name: String,
    /// The structure that it is, if it is one; 0 if not.
    pub(crate) structure: usize,
}

struct Member {
    name: String,
    offset: u64,
    size: u64,
    structure: usize,
    is_bit_field: bool,
}

impl Structures {
    pub(crate) fn of(module: Module) -> Structures {
        let mut structures = Structures::default();
        let state = (&raw mut structures).cast();
        llvm!(raddle_shim_structures(module.module, state, tell, tell_member));
        structures
    }

    /// The member at an offset of a structure: of a known one, or of the one that LLVM calls so. Nothing if it is not known
    /// for sure.
    pub(crate) fn member(
        &self,
        known: Option<usize>,
        type_name: &str,
        size: u64,
        offset: u64,
    ) -> Option<Found> {
        if let Some(structure) = known.and_then(|id| self.by_id.get(&id)) {
            return self.member_at(structure, offset, 0);
        }
        let mut answers = self
            .by_name
            .get(source_name(type_name))?
            .iter()
            .filter_map(|id| self.by_id.get(id))
            .filter(|structure| structure.size == size)
            .map(|structure| self.member_at(structure, offset, 0));
        let first = answers.next()??;
        let mut same = true;
        for other in answers {
            same &= other.is_some_and(|other| other.name == first.name);
        }
        same.then_some(first)
    }

    /// Looks through members without a name of their own.
    fn member_at(&self, structure: &Structure, offset: u64, depth: usize) -> Option<Found> {
        let found = |member: &Member| Found { name: member.name.clone(), structure: member.structure };
        let begins = |member: &&Member| member.offset == offset && !member.name.is_empty();
        let mut named = structure.members.iter().filter(begins);
        // Bit fields share their bytes, and the members of a union all of them.
        if let Some(member) = named.next() {
            return (named.next().is_none() && !member.is_bit_field).then(|| found(member));
        }
        let mut around = structure.members.iter().filter(|member| {
            member.name.is_empty() && member.offset <= offset && offset < member.offset + member.size.max(1)
        });
        let member = around.next().filter(|_| depth < 8)?;
        if around.next().is_some() {
            return None;
        }
        if member.offset == offset {
            return Some(found(member));
        }
        self.member_at(self.by_id.get(&member.structure)?, offset - member.offset, depth + 1)
    }
}

/// `struct.point`, `class.std::pair.17`: what stands between the kind and the number that tells types of one name apart.
fn source_name(type_name: &str) -> &str {
    let name = type_name.split_once('.').map_or(type_name, |(_, name)| name);
    let name = match name.rsplit_once('.') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    };
    without_arguments(name)
}

fn without_arguments(name: &str) -> &str {
    if name.ends_with('>') { name.split('<').next().unwrap_or(name) } else { name }
}

fn text(from: *const c_char) -> String {
    // SAFETY: the shim hands over text that ends with zero and lives during the call.
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}

fn structures<'a>(state: *mut c_void) -> &'a mut Structures {
    // SAFETY: the shim hands back what `Structures::of` gave it, which nobody else uses meanwhile.
    unsafe { &mut *state.cast() }
}

extern "C" fn tell(state: *mut c_void, id: *const c_void, name: *const c_char, size: u64) {
    let structures = structures(state);
    let name = text(name);
    if !name.is_empty() {
        let ids = structures.by_name.entry(without_arguments(&name).to_owned()).or_default();
        if !ids.contains(&(id as usize)) {
            ids.push(id as usize);
        }
    }
    structures.by_id.entry(id as usize).or_default().size = size;
}

extern "C" fn tell_member(
    state: *mut c_void,
    id: *const c_void,
    name: *const c_char,
    offset: u64,
    size: u64,
    structure: *const c_void,
    is_bit_field: c_int,
) {
    let (name, structure, is_bit_field) = (text(name), structure as usize, is_bit_field != 0);
    let member = Member { name, offset, size, structure, is_bit_field };
    structures(state).by_id.entry(id as usize).or_default().members.push(member);
}
