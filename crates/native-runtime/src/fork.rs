//! Each run in a process of its own.
//!
//! The child inherits the search, makes one run, and writes into shared memory what it was asked to decide and what came
//! out. The parent asks its own strategy the same questions, so that it is in the same state as the child's was, and goes
//! on with the run that was read back.

use raddle_channel::{Input, Output, Task, Uncontrolled, Wire, WireError};
use raddle_explore::{Choice, Chooser, Decision, NoPick, Offer, RunLimits, Subject};
use raddle_runtime::Names;
use raddle_trace::schedule::ThreadName;
use raddle_trace::{Ending, Failure, Kind, ObjectId, Pending, Place, Run, ThreadId, ThreadSet, Trouble};

use crate::host::{Arguments, leave};
use crate::inline::Inline;
use crate::real::raw_syscall;
use crate::{state, watch};

/// Bytes that a run may take; only those that are written count.
const SHARED: usize = 256 << 20;
/// The first bytes hold the length of what follows.
const HEAD: usize = 8;

/// The most threads whose stacks are made ready in advance.
const READY: usize = 32;

/// A program of which each run is a process.
pub(crate) struct Forked {
    inline: Inline,
    names: Names,
    memory: *mut u8,
    run: Run,
    parent: libc::pid_t,
    /// For so many threads the stacks are there before a process is forked.
    ready: usize,
}

/// What a strategy was asked.
enum Question {
    Decide { enabled: ThreadSet, last: Option<ThreadId>, pending: Vec<Pending>, event: usize, objects: usize },
    Pick { thread: ThreadId, kind: Kind, alternatives: u32, event: usize },
}

/// Answers by the strategy, and writes down what was asked.
struct Recorder<'a> {
    chooser: &'a mut dyn Chooser,
    out: &'a mut Output,
}

impl Chooser for Recorder<'_> {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        self.out.number(1);
        at.enabled.iter().collect::<Vec<ThreadId>>().put(self.out);
        at.last.put(self.out);
        at.event.put(self.out);
        at.objects.put(self.out);
        self.out.number(at.pending.len() as u64);
        at.pending.iter().for_each(|pending| pending.put(self.out));
        self.chooser.decide(at)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        self.out.number(2);
        at.thread.put(self.out);
        at.kind.put(self.out);
        at.alternatives.put(self.out);
        at.event.put(self.out);
        self.chooser.pick(at)
    }

    fn wants_names(&self) -> bool {
        self.chooser.wants_names()
    }
}

fn question(input: &mut Input<'_>) -> Result<Option<Question>, WireError> {
    Ok(Some(match input.number()? {
        1 => {
            let enabled: Vec<ThreadId> = Wire::take(input)?;
            Question::Decide {
                enabled: enabled.into_iter().collect(),
                last: Wire::take(input)?,
                event: Wire::take(input)?,
                objects: Wire::take(input)?,
                pending: Wire::take(input)?,
            }
        }
        2 => Question::Pick {
            thread: Wire::take(input)?,
            kind: Wire::take(input)?,
            alternatives: Wire::take(input)?,
            event: Wire::take(input)?,
        },
        _ => return Ok(None),
    }))
}

impl Forked {
    pub(crate) fn new(arguments: Arguments, task: &Task, names: Names) -> Forked {
        // SAFETY: new memory, shared with the processes that are forked later.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SHARED,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        assert!(memory != libc::MAP_FAILED, "could not get memory that is shared with forked processes");
        let mut inline = Inline::new(arguments, task, names.clone());
        inline.get_ready(1);
        inherit_code();
        Forked {
            inline,
            names,
            memory: memory.cast(),
            run: Run::default(),
            parent: std::process::id() as libc::pid_t,
            ready: 1,
        }
    }

    /// The numbers that objects keep.
    pub(crate) fn kept_numbers(&self) -> (usize, Vec<ObjectId>) {
        self.inline.kept_numbers()
    }

    /// In the child: makes the run and writes it down.
    fn make(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> ! {
        die_with(self.parent);
        watch::start();
        take_memory();
        let mut out = Output::default();
        self.inline.run(&mut Recorder { chooser, out: &mut out }, limits);
        out.number(0);
        self.inline.last().put(&mut out);
        self.names.all().put(&mut out);
        state::with(|state| {
            state.uncontrolled.retain(|_, strange| strange.now);
            state.told_uncontrolled().put(&mut out);
        });
        if out.bytes.len() + HEAD > SHARED {
            leave(5);
        }
        // SAFETY: the memory is ours alone until the process ends, and large enough.
        unsafe {
            std::ptr::copy_nonoverlapping(out.bytes.as_ptr(), self.memory.add(HEAD), out.bytes.len());
            self.memory.cast::<u64>().write(out.bytes.len() as u64);
        }
        leave(0)
    }

    /// In the parent: asks the strategy what the child asked, and takes over its run.
    fn learn(&mut self, chooser: &mut dyn Chooser) -> Result<(), WireError> {
        // SAFETY: the child, which wrote it, is gone.
        let bytes = unsafe {
            let length = self.memory.cast::<u64>().read() as usize;
            std::slice::from_raw_parts(self.memory.add(HEAD), length.min(SHARED - HEAD))
        };
        let mut input = Input::new(bytes);
        while let Some(question) = question(&mut input)? {
            match question {
                Question::Decide { enabled, last, pending, event, objects } => {
                    chooser.decide(&Decision { enabled, last, pending: &pending, event, objects });
                }
                Question::Pick { thread, kind, alternatives, event } => {
                    let _ = chooser.pick(&Offer { thread, kind, alternatives, event });
                }
            }
        }
        self.run = Run::take(&mut input)?;
        let names: Vec<ThreadName> = Wire::take(&mut input)?;
        names.iter().for_each(|name| {
            self.names.find(name);
        });
        let uncontrolled: Vec<Uncontrolled> = Wire::take(&mut input)?;
        state::with(|state| {
            state.uncontrolled.values_mut().for_each(|strange| strange.now = false);
            for Uncontrolled { name, place, .. } in uncontrolled {
                state.uses_uncontrolled(name, place);
            }
        });
        input.end()
    }

    /// The child is gone and has left nothing behind.
    fn lost(&mut self, status: i32) {
        let how = if libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGXFSZ {
            "the process was ended because it wrote a larger file than --max-file-size allows".to_owned()
        } else if libc::WIFSIGNALED(status) {
            format!("the process was killed by signal {}", libc::WTERMSIG(status))
        } else {
            format!("the process ended by itself with code {}", libc::WEXITSTATUS(status))
        };
        self.run.clear();
        self.run.ending = Ending::Failed(Failure::Crash);
        let trouble = Trouble { thread: ThreadId::MAIN, message: how, place: Place::Unknown, block: None };
        self.run.trouble = Some(trouble);
    }
}

/// # Safety
/// `status` has to be a place for the status.
unsafe fn wait_for(child: libc::pid_t, status: *mut i32) -> i64 {
    // SAFETY: passed on to the caller.
    unsafe { raw_syscall(libc::SYS_wait4, [child.into(), status as i64, 0, 0, 0, 0]) }
}

/// Lets this process end with the one that forked it.
fn die_with(parent: libc::pid_t) {
    // SAFETY: changes a setting of this process and asks for a number.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != parent {
            // It ended before it was asked to take us along.
            leave(4);
        }
    }
}

/// Takes the memory that the notes of a run need in one go: page by page, as they are touched, costs several times as much.
fn take_memory() {
    const NOTES: usize = 64 << 10;
    const PAGE: usize = 4096;
    // SAFETY: a block of the C library's heap, of whose pages only those that lie in it as a whole are made to be there. What
    // they hold does not change.
    unsafe {
        let block = libc::malloc(NOTES) as usize;
        let start = block.next_multiple_of(PAGE);
        if block != 0 {
            libc::madvise(start as *mut _, (block + NOTES - start) / PAGE * PAGE, libc::MADV_POPULATE_WRITE);
            libc::free(block as *mut _);
        }
    }
}

/// Lets forked processes inherit what is mapped of the program's files. The system copies the entries of a mapping only if
/// one of its pages has been written; otherwise each process would find out page by page that they are in memory.
fn inherit_code() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for line in maps.lines() {
        let Some((start, end, executable)) = code_range(line) else { continue };
        let usual = libc::PROT_READ | if executable { libc::PROT_EXEC } else { 0 };
        // SAFETY: a private mapping of a file, of which one byte is written as it is. Where that is forbidden, it stays
        // as it was. The process has one thread.
        unsafe {
            if executable {
                libc::madvise(start as *mut _, end - start, libc::MADV_POPULATE_READ);
            }
            if libc::mprotect(start as *mut _, end - start, usual | libc::PROT_WRITE) == 0 {
                let first = start as *mut u8;
                first.write_volatile(first.read_volatile());
                libc::mprotect(start as *mut _, end - start, usual);
            }
        }
    }
}

/// From where to where the mapping of a line of `/proc/self/maps` goes, and whether it is code, if it is that of a file that
/// is not written.
fn code_range(line: &str) -> Option<(usize, usize, bool)> {
    const LARGE: usize = 8 << 20;
    let (range, rest) = line.split_once(' ')?;
    let executable = match rest.get(..4)? {
        "r-xp" => true,
        "r--p" => false,
        _ => return None,
    };
    let (start, end) = range.split_once('-')?;
    let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    (rest.contains(" /") && end - start <= LARGE).then_some((start, end, executable))
}

impl Subject for Forked {
    fn run(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> &Run {
        // SAFETY: the child makes one run on this thread, the only one, and ends without returning.
        let child = unsafe {
            self.memory.cast::<u64>().write(0);
            raw_syscall(libc::SYS_clone, [libc::SIGCHLD.into(), 0, 0, 0, 0, 0])
        } as libc::pid_t;
        if child == 0 {
            self.make(chooser, limits);
        }
        let mut status = 0;
        if child < 0 {
            self.lost(0);
            return &self.run;
        }
        // SAFETY: waits for our own child.
        while unsafe { wait_for(child, &raw mut status) } == -i64::from(libc::EINTR) {}
        // SAFETY: the child is gone.
        let written = unsafe { self.memory.cast::<u64>().read() } > 0;
        if !written || self.learn(chooser).is_err() {
            self.lost(status);
        }
        let threads = self.run.threads.min(READY);
        if threads > self.ready {
            self.inline.get_ready(threads);
            self.ready = threads;
        }
        &self.run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_of_files_that_are_not_written_are_recognised() {
        let line = |rights: &str, file: &str| {
            format!("7f0000000000-7f0000002000 {rights} 00000000 08:01 12   {file}")
        };
        assert_eq!(
            code_range(&line("r-xp", "/usr/lib/libc.so.6")),
            Some((0x7f00_0000_0000, 0x7f00_0000_2000, true))
        );
        assert_eq!(code_range(&line("r--p", "/a b")).map(|range| range.2), Some(false));
        assert_eq!(code_range(&line("rw-p", "/usr/lib/libc.so.6")), None);
        assert_eq!(code_range(&line("r-xp", "[vdso]")), None);
        assert_eq!(code_range(""), None);
    }
}
