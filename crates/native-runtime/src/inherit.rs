//! Which pages of code a forked process finds in its memory.
//!
//! To inherit a page costs a little in every process, at its beginning and at its end; not to inherit one that is needed
//! costs a fault, and the system then maps its neighbours as well. So nothing is inherited at first; when it is clear that
//! there will be many processes, a few of them are watched, and from then on exactly the pages are inherited that those or
//! their parent have used.

use std::fs::File;
use std::os::unix::fs::FileExt;

const PAGE: usize = 4096;
/// Files larger than this are not looked at.
const LARGE: usize = 8 << 20;
/// The run from which on pages are watched: shorter searches would not earn what that costs.
const FIRST_WATCHED: u64 = 40;
/// How many runs are watched.
const WATCHED: u64 = 3;
/// A mapping of which fewer pages are used is not worth to be inherited.
const WORTH_IT: usize = 3;
/// The most pages that a process can tell.
pub(crate) const MOST_PAGES: usize = 1 << 14;

/// In an entry of `/proc/self/pagemap`: the page is in memory, and it is one of a file.
const PRESENT: u64 = 1 << 63;
const OF_A_FILE: u64 = 1 << 61;

/// A mapping of a file that is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Code {
    start: usize,
    end: usize,
    executable: bool,
}

/// What of the program's files forked processes inherit.
#[derive(Debug)]
pub(crate) struct Inherited {
    code: Vec<Code>,
    runs: u64,
    /// The number of each page that is used.
    used: Vec<usize>,
}

impl Inherited {
    /// Looks at what is mapped of the program's files; nothing is inherited yet.
    pub(crate) fn find() -> Inherited {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        Inherited { code: maps.lines().filter_map(code_of).collect(), runs: 0, used: Vec::new() }
    }

    /// In the parent, before a process is forked.
    pub(crate) fn run_begins(&mut self) {
        self.runs += 1;
        if self.runs == FIRST_WATCHED {
            self.forget();
            self.part(libc::MADV_DONTDUMP);
        } else if self.runs == FIRST_WATCHED + WATCHED {
            self.used.sort_unstable();
            self.used.dedup();
            for page in &self.used {
                // SAFETY: lets a page of a mapping be found in memory.
                unsafe { libc::madvise((page * PAGE) as *mut _, PAGE, libc::MADV_POPULATE_READ) };
            }
            self.part(libc::MADV_DODUMP);
            self.pass_on();
            self.used.clear();
        }
    }

    /// Lets forked processes inherit what is in memory of the mappings that are used. The system copies the entries of a
    /// mapping only if one of its pages has been written; otherwise each process would find out page by page that they are
    /// there.
    fn pass_on(&self) {
        for code in &self.code {
            let is_in = |page: &&usize| (code.start..code.end).contains(&(**page * PAGE));
            if self.used.iter().filter(is_in).count() < WORTH_IT {
                continue;
            }
            let usual = libc::PROT_READ | if code.executable { libc::PROT_EXEC } else { 0 };
            // SAFETY: a private mapping of a file, of which one byte is written as it is. Where that is forbidden, it stays
            // as it was. The process has one thread.
            unsafe {
                if libc::mprotect(code.start as *mut _, code.end - code.start, usual | libc::PROT_WRITE) == 0
                {
                    let first = code.start as *mut u8;
                    first.write_volatile(first.read_volatile());
                    libc::mprotect(code.start as *mut _, code.end - code.start, usual);
                }
            }
        }
    }

    /// Whether the processes tell which pages they used.
    fn is_watching(&self) -> bool {
        (FIRST_WATCHED..FIRST_WATCHED + WATCHED).contains(&self.runs)
    }

    /// In the forked process: writes down the pages that it has used, the number of them first.
    ///
    /// # Safety
    /// There has to be room for [`MOST_PAGES`] and one number more.
    pub(crate) unsafe fn tell(&self, to: *mut usize) {
        if !self.is_watching() {
            return;
        }
        let pages = self.present();
        let pages = pages.get(..MOST_PAGES).unwrap_or(&pages);
        // SAFETY: as the caller says.
        unsafe {
            to.write(pages.len());
            to.add(1).copy_from_nonoverlapping(pages.as_ptr(), pages.len());
        }
    }

    /// In the parent: takes note of what a process wrote down.
    ///
    /// # Safety
    /// There has to be what [`Inherited::tell`] has written, or a zero.
    pub(crate) unsafe fn hear(&mut self, from: *const usize) {
        if !self.is_watching() {
            return;
        }
        // SAFETY: as the caller says. Whatever the program has made of it, it is that long.
        let told = unsafe { std::slice::from_raw_parts(from.add(1), from.read().min(MOST_PAGES)) };
        let is_code = |page: &usize| {
            let address = page.saturating_mul(PAGE);
            self.code.iter().any(|code| (code.start..code.end).contains(&address))
        };
        let known: Vec<usize> = told.iter().copied().filter(is_code).collect();
        self.used.extend(known);
        let own = self.present();
        self.used.extend(own);
    }

    /// The pages of code that are in memory as the file has them.
    fn present(&self) -> Vec<usize> {
        let Ok(map) = File::open("/proc/self/pagemap") else { return Vec::new() };
        let mut pages = Vec::new();
        for code in &self.code {
            let first = code.start / PAGE;
            let mut entries = vec![0_u8; (code.end - code.start) / PAGE * 8];
            if map.read_exact_at(&mut entries, first as u64 * 8).is_err() {
                continue;
            }
            for (index, entry) in entries.chunks_exact(8).enumerate() {
                let entry = entry.iter().rev().fold(0_u64, |entry, byte| entry << 8 | u64::from(*byte));
                if entry & PRESENT != 0 && entry & OF_A_FILE != 0 {
                    pages.push(first + index);
                }
            }
        }
        pages
    }

    /// Takes the pages of files out of memory; whoever needs one finds it again.
    fn forget(&self) {
        for page in self.present() {
            // SAFETY: the page is as the file has it, so nothing is lost.
            unsafe { libc::madvise((page * PAGE) as *mut _, PAGE, libc::MADV_DONTNEED) };
        }
    }

    /// Marks every other page, so that the system treats each by itself and maps no neighbours, or unmarks them.
    fn part(&self, advice: libc::c_int) {
        for code in &self.code {
            for page in (code.start..code.end).step_by(2 * PAGE) {
                // SAFETY: says what is to be left out of a dump of the process; it changes nothing else.
                unsafe { libc::madvise(page as *mut _, PAGE, advice) };
            }
        }
    }
}

/// The mapping of a line of `/proc/self/maps`, if it is that of a file that is not written.
fn code_of(line: &str) -> Option<Code> {
    let (range, rest) = line.split_once(' ')?;
    let executable = match rest.get(..4)? {
        "r-xp" => true,
        "r--p" => false,
        _ => return None,
    };
    let (start, end) = range.split_once('-')?;
    let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    (rest.contains(" /") && end - start <= LARGE).then_some(Code { start, end, executable })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_of_files_that_are_not_written_are_recognised() {
        let line = |rights: &str, file: &str| {
            format!("7f0000000000-7f0000002000 {rights} 00000000 08:01 12   {file}")
        };
        let code = Code { start: 0x7f00_0000_0000, end: 0x7f00_0000_2000, executable: true };
        assert_eq!(code_of(&line("r-xp", "/usr/lib/libc.so.6")), Some(code));
        assert_eq!(code_of(&line("r--p", "/a b")).map(|code| code.executable), Some(false));
        assert_eq!(code_of(&line("rw-p", "/usr/lib/libc.so.6")), None);
        assert_eq!(code_of(&line("r-xp", "[vdso]")), None);
        assert_eq!(code_of(""), None);
    }

    #[test]
    fn pages_that_were_told_are_taken_in_only_if_they_are_code() {
        let code = Code { start: 0, end: 4 * PAGE, executable: true };
        let mut inherited = Inherited { code: vec![code], runs: FIRST_WATCHED, used: Vec::new() };
        let told = [3, 2, usize::MAX, 900_usize];
        // SAFETY: the first number says how many follow.
        unsafe { inherited.hear(told.as_ptr()) };
        assert_eq!(inherited.used, [2]);
    }
}
