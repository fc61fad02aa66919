//! The program's own memory: which files it was loaded from, and how its static memory is put back before a run.
//!
//! Only files that were built by `raddle cc` are put back; those have a section `.raddle.model`. What the loader writes
//! (relocated constants, addresses of functions found when first called) is left alone.

use std::ffi::CStr;
use std::fs;
use std::os::unix::fs::FileExt;

use raddle_channel::Module;
use raddle_trace::Whereabouts;

use crate::faces::joins;
use crate::lifetime;

const MODEL: &str = ".raddle.model";
/// The most that is read of a file at once.
const MOST_READ: usize = 1 << 30;
/// Segments larger than this are compared page by page before they are written.
const SMALL: usize = 1 << 16;
const PAGE: usize = 4096;

/// A loaded file.
#[derive(Debug)]
struct Loaded {
    told: Module,
    /// Its segments, from and to.
    segments: Vec<(usize, usize)>,
}

/// A piece of static memory as it was before the first run.
#[derive(Debug)]
struct Saved {
    start: usize,
    bytes: Vec<u8>,
}

/// The loaded files and their saved memory.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    loaded: Vec<Loaded>,
    saved: Vec<Saved>,
    /// Writable memory of files that are not put back.
    strange: Vec<(usize, usize)>,
    /// Where the thread-local variables of libraries lie, from the first to the last.
    thread_local: (usize, usize),
    /// Object files that were not built by `raddle cc`, as the model says.
    pub strangers: Vec<String>,
    /// Whether the program has sections that it declares atomic.
    pub has_sections: bool,
    /// Whether the program looks whether threads have ended.
    pub sees_ends: bool,
    /// Whether the program makes or destroys locks and their like by calls.
    pub makes_locks: bool,
    /// Functions that the linker listed for the end of the program, the one that is called first at the end of the list.
    pub at_end: Vec<usize>,
}

/// What is known of a file before its memory is saved.
#[derive(Default)]
struct Description {
    path: String,
    base: usize,
    segments: Vec<(usize, usize)>,
    writable: Vec<(usize, usize)>,
    /// The thread-local variables of this OS thread.
    thread_local: Option<(usize, usize)>,
    /// Ranges that belong to the loader.
    loaders: Vec<(usize, usize)>,
    /// Where the list of functions for the end of the program lies.
    at_end: (usize, usize),
}

impl Modules {
    /// Looks at what is loaded.
    pub(crate) fn find() -> Modules {
        let mut descriptions: Vec<Description> = Vec::new();
        // SAFETY: the callback has the right type, and the list outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(describe), (&raw mut descriptions).cast()) };
        let mut modules = Modules::default();
        let locals = || descriptions.iter().filter_map(|description| description.thread_local);
        modules.thread_local = (
            locals().map(|range| range.0).min().unwrap_or(0),
            locals().map(|range| range.1).max().unwrap_or(0),
        );
        let models: Vec<Option<String>> = descriptions.iter().map(|each| model_of(&each.path)).collect();
        let streams = models.iter().flatten().any(|model| {
            model
                .split(['\n', '\0'])
                .filter_map(|line| line.strip_prefix("external\t"))
                .any(raddle_channel::externals::uses_streams)
        });
        for (description, model) in descriptions.into_iter().zip(models) {
            if streams && description.is_the_cpp_library() {
                modules.saved.extend(description.saved());
            }
            if let Some(model) = &model {
                let strangers =
                    model.split(['\n', '\0']).filter_map(|line| line.strip_prefix("uncontrolled\t"));
                modules.strangers.extend(strangers.map(str::to_owned));
                modules.has_sections |= model.contains("\t__VERIFIER_atomic_");
                modules.sees_ends |= joins::NAMES.iter().any(|name| model.contains(name));
                modules.makes_locks |= lifetime::is_in(model);
                modules.saved.extend(description.saved());
            }
            if model.is_some() {
                let (start, bytes) = description.at_end;
                // SAFETY: the loader has relocated the list, which has this many bytes.
                let list = (0..bytes / 8).map(|index| unsafe { *(start as *const usize).add(index) });
                // The program comes first in the list of what is loaded, and each list is called from behind.
                modules.at_end.splice(0..0, list.filter(|function| !matches!(*function, 0 | usize::MAX)));
            }
            if model.is_none() {
                modules.strange.extend(&description.writable);
            }
            modules.loaded.push(Loaded {
                told: Module {
                    path: description.path,
                    base: description.base as u64,
                    instrumented: model.is_some(),
                },
                segments: description.segments,
            });
        }
        modules
    }

    /// What the supervisor is told.
    pub(crate) fn told(&self) -> Vec<Module> {
        self.loaded.iter().map(|loaded| loaded.told.clone()).collect()
    }

    /// Remembers the static memory as it is now.
    pub(crate) fn save(&mut self) {
        for saved in &mut self.saved {
            // SAFETY: the range is mapped, as the loader told, and nothing runs that could write to it.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    saved.start as *const u8,
                    saved.bytes.as_mut_ptr(),
                    saved.bytes.len(),
                );
            }
        }
    }

    /// Puts the static memory back.
    pub(crate) fn restore(&self) {
        for saved in &self.saved {
            if saved.bytes.len() <= SMALL {
                // SAFETY: the range is mapped and writable, and no fiber exists that uses it.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        saved.bytes.as_ptr(),
                        saved.start as *mut u8,
                        saved.bytes.len(),
                    );
                }
                continue;
            }
            for (index, page) in saved.bytes.chunks(PAGE).enumerate() {
                let start = (saved.start + index * PAGE) as *mut u8;
                // SAFETY: as above. Pages that nobody changed are not written, so that they need no memory of their own.
                unsafe {
                    if std::slice::from_raw_parts(start, page.len()) != page {
                        std::ptr::copy_nonoverlapping(page.as_ptr(), start, page.len());
                    }
                }
            }
        }
    }

    /// The static memory that is put back.
    pub(crate) fn static_memory(&self) -> impl Iterator<Item = (usize, usize)> {
        self.saved.iter().map(|saved| (saved.start, saved.start + saved.bytes.len()))
    }

    /// Whether an address lies in the static memory of a library that is not put back: what lies there is the library's own
    /// business.
    #[inline]
    pub(crate) fn is_strange(&self, address: usize) -> bool {
        let strange = |&&(start, end): &&(usize, usize)| (start..end).contains(&address);
        self.strange.iter().find(strange).is_some()
    }

    /// Whether an address may be that of a library's thread-local variable, such as `errno`: there is one for all fibers, but
    /// each finds in it what it left there.
    #[inline]
    pub(crate) fn is_thread_local(&self, address: usize) -> bool {
        (self.thread_local.0..self.thread_local.1).contains(&address)
    }

    /// Whether an address belongs to a file that was built by `raddle cc`.
    pub(crate) fn is_own(&self, address: usize) -> bool {
        let inside =
            |loaded: &Loaded| loaded.segments.iter().any(|&(start, end)| (start..end).contains(&address));
        self.loaded.iter().any(|loaded| loaded.told.instrumented && inside(loaded))
    }

    /// How many files were built by `raddle cc`.
    pub(crate) fn own(&self) -> usize {
        self.loaded.iter().filter(|loaded| loaded.told.instrumented).count()
    }

    /// Where so many bytes of the program itself lie, if they are part of it.
    pub(crate) fn in_program(&self, offset: u64, bytes: u32) -> Option<usize> {
        // The loader lists the program before its libraries.
        let program = self.loaded.first()?;
        let start = program.told.base.checked_add(offset)? as usize;
        let end = start.checked_add(bytes as usize)?;
        program.segments.iter().any(|&(low, high)| low <= start && end <= high).then_some(start)
    }

    /// The file that an address belongs to, and how far the address is from where it was loaded.
    pub(crate) fn whereabouts(&self, address: usize) -> Option<Whereabouts> {
        let inside =
            |loaded: &Loaded| loaded.segments.iter().any(|&(start, end)| (start..end).contains(&address));
        let at = self.loaded.iter().position(inside)?;
        Some(Whereabouts::Global { module: at as u32, offset: address as u64 - self.loaded[at].told.base })
    }
}

impl Description {
    /// Whether this is the library that holds the standard streams, which live through all runs.
    fn is_the_cpp_library(&self) -> bool {
        self.path.rsplit('/').next().is_some_and(|name| name.starts_with("libstdc++.so"))
    }

    /// Room for the memory that is to be put back.
    fn saved(&self) -> impl Iterator<Item = Saved> {
        self.to_save().into_iter().map(|(start, end)| Saved { start, bytes: vec![0; end - start] })
    }

    /// The writable ranges without those of the loader.
    fn to_save(&self) -> Vec<(usize, usize)> {
        let mut ranges = self.writable.clone();
        for &(from, to) in &self.loaders {
            let cut = |(start, end): (usize, usize)| {
                let left = (start, end.min(from));
                let right = (start.max(to), end);
                [left, right].into_iter().filter(|(start, end)| start < end)
            };
            ranges =
                ranges
                    .into_iter()
                    .flat_map(|range| {
                        if range.1 <= from || to <= range.0 { vec![range] } else { cut(range).collect() }
                    })
                    .collect();
        }
        ranges
    }
}

/// # Safety
/// Called by the loader with a valid description; `data` is the list given to it.
unsafe extern "C" fn describe(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    data: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: as the caller says.
    let (info, list) = unsafe { (&*info, &mut *data.cast::<Vec<Description>>()) };
    let base = info.dlpi_addr as usize;
    let name = if info.dlpi_name.is_null() {
        String::new()
    } else {
        // SAFETY: the loader's names end with a zero.
        unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned()
    };
    let path = if name.is_empty() && list.is_empty() {
        fs::read_link("/proc/self/exe").map_or(name, |path| path.display().to_string())
    } else {
        name
    };
    let mut description = Description { path, base, ..Description::default() };
    for index in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: there are as many headers as the description says.
        let header = unsafe { &*info.dlpi_phdr.add(index) };
        let start = base + header.p_vaddr as usize;
        let range = (start, start + header.p_memsz as usize);
        match header.p_type {
            libc::PT_LOAD => {
                description.segments.push(range);
                if header.p_flags & libc::PF_W != 0 {
                    description.writable.push(range);
                }
            }
            libc::PT_TLS if !info.dlpi_tls_data.is_null() => {
                let data = info.dlpi_tls_data as usize;
                description.thread_local = Some((data, data + header.p_memsz as usize));
            }
            libc::PT_GNU_RELRO => description.loaders.push((range.0, range.1.next_multiple_of(PAGE))),
            // SAFETY: the dynamic section is mapped and ends with an entry of tag zero.
            libc::PT_DYNAMIC => unsafe { read_dynamic(&mut description, start) },
            _ => {}
        }
    }
    list.push(description);
    0
}

/// The table of addresses of functions that are looked up when first called: found again each time, a run would be slow. And
/// the list of functions for the end of the program.
///
/// # Safety
/// At `dynamic` there has to be a mapped dynamic section.
unsafe fn read_dynamic(description: &mut Description, dynamic: usize) {
    const DT_PLTRELSZ: u64 = 2;
    const DT_PLTGOT: u64 = 3;
    const DT_FINI_ARRAY: u64 = 26;
    const DT_FINI_ARRAYSZ: u64 = 28;
    let (mut table, mut entries) = (0, 0);
    let relocated = |address: u64| description.base + address as usize;
    let mut at_end = (0, 0);
    let mut at = dynamic as *const [u64; 2];
    // SAFETY: the caller answers for the section, which ends with a zero.
    unsafe {
        while (*at)[0] != 0 {
            match *at {
                [DT_PLTGOT, address] => table = address as usize,
                [DT_PLTRELSZ, bytes] => entries = bytes as usize / 24,
                [DT_FINI_ARRAY, address] => at_end.0 = relocated(address),
                [DT_FINI_ARRAYSZ, bytes] => at_end.1 = bytes as usize,
                _ => {}
            }
            at = at.add(1);
        }
    }
    description.at_end = at_end;
    if table != 0 {
        // The loader has relocated the address already; a file that it left alone has it relative.
        let table = if table < description.base { table + description.base } else { table };
        description.loaders.push((table, table + (entries + 3) * 8));
    }
}

/// The text of the static model in a file that was built by `raddle cc`. Of a file only the parts that lead to it are read.
fn model_of(path: &str) -> Option<String> {
    let file = fs::File::open(path).ok()?;
    let bytes = |at: usize, count: usize| -> Option<Vec<u8>> {
        let mut bytes = vec![0; Some(count).filter(|count| *count <= MOST_READ)?];
        file.read_exact_at(&mut bytes, at as u64).ok().map(|()| bytes)
    };
    let number = |bytes: &[u8], at: usize, count: usize| -> Option<usize> {
        let field = bytes.get(at..at.checked_add(count)?)?;
        Some(field.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    };
    let head = bytes(0, 64)?;
    if head.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let (table, size) = (number(&head, 40, 8)?, number(&head, 58, 2)?);
    let (count, names) = (number(&head, 60, 2)?, number(&head, 62, 2)?);
    let sections = bytes(table, size.checked_mul(count)?)?;
    let range = |index: usize| {
        let section = index * size;
        Some((number(&sections, section + 24, 8)?, number(&sections, section + 32, 8)?))
    };
    let (names_at, names_size) = range(names)?;
    let names = bytes(names_at, names_size)?;
    (0..count).find_map(|index| {
        let name = names.get(number(&sections, index * size, 4)?..)?;
        let name = &name[..name.iter().position(|byte| *byte == 0)?];
        let (start, length) =
            Some(name).filter(|name| *name == MODEL.as_bytes()).and_then(|_| range(index))?;
        Some(String::from_utf8_lossy(&bytes(start, length)?).into_owned())
    })
}
