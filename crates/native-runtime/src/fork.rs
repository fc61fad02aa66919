//! Each run in a process of its own.
//!
//! The child inherits the search, makes one run, and writes into shared memory what it was asked to decide and what came
//! out. The parent asks its own strategy the same questions, so that it is in the same state as the child's was, and goes
//! on with the run that was read back.

use std::cmp::Ordering;

use raddle_channel::{Input, Output, Task, Uncontrolled, Wire, WireError};
use raddle_explore::{Choice, Chooser, Decision, NoPick, Offer, RunLimits, Subject};
use raddle_runtime::Names;
use raddle_trace::schedule::ThreadName;
use raddle_trace::{Ending, Failure, Kind, ObjectId, Pending, Place, Run, ThreadId, ThreadSet, Trouble};

use crate::host::{Arguments, leave};
use crate::inherit::{Inherited, MOST_PAGES};
use crate::inline::Inline;
use crate::real::raw_syscall;
use crate::{NOTES, state, watch};

/// Bytes that a run may take; only those that are written count.
const SHARED: usize = 256 << 20;
/// Bytes behind those for what is noted while the run is made.
const FOR_NOTES: usize = 256 << 20;
/// Bytes of them that a small run needs.
const USUAL_NOTES: usize = 6 << 12;
/// Bytes behind those for the pages that a process has used.
const FOR_PAGES: usize = (MOST_PAGES + 1) * size_of::<usize>();
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
    inherited: Inherited,
}

/// What a strategy was asked.
enum Question {
    Decide { enabled: ThreadSet, last: Option<ThreadId>, event: usize, objects: usize },
    Pick { thread: ThreadId, kind: Kind, alternatives: u32, event: usize },
}

/// Answers by the strategy, and writes down what was asked.
struct Recorder<'a> {
    chooser: &'a mut dyn Chooser,
    out: &'a mut Output,
    /// The operations that were pending at the last question: few of them change from one to the next.
    pending: Vec<Pending>,
}

impl Recorder<'_> {
    /// Writes down what is pending now and was not at the last question.
    fn put_changes(&mut self, pending: &[Pending]) {
        self.out.number(pending.len() as u64);
        let is_new = |index: &usize| self.pending.get(*index) != Some(&pending[*index]);
        let changed: Vec<usize> = (0..pending.len()).filter(is_new).collect();
        self.out.number(changed.len() as u64);
        for index in changed {
            index.put(self.out);
            pending[index].put(self.out);
        }
        self.pending.clear();
        self.pending.extend_from_slice(pending);
    }
}

/// Reads what [`Recorder::put_changes`] has written into what was pending at the last question.
fn take_changes(input: &mut Input<'_>, pending: &mut Vec<Pending>) -> Result<(), WireError> {
    pending.truncate(Wire::take(input)?);
    let changed: usize = Wire::take(input)?;
    for _ in 0..changed {
        let (index, new): (usize, Pending) = (Wire::take(input)?, Wire::take(input)?);
        match index.cmp(&pending.len()) {
            Ordering::Less => pending[index] = new,
            Ordering::Equal => pending.push(new),
            Ordering::Greater => {
                return Err(WireError::Nonsense { what: "a pending operation", found: index as u64 });
            }
        }
    }
    Ok(())
}

impl Chooser for Recorder<'_> {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        self.out.number(1);
        at.enabled.iter().collect::<Vec<ThreadId>>().put(self.out);
        at.last.put(self.out);
        at.event.put(self.out);
        at.objects.put(self.out);
        self.put_changes(at.pending);
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

    fn sees_plain(&self) -> bool {
        self.chooser.sees_plain()
    }
}

/// The next question, if there is one more; with `pending`, what is pending then.
fn question(input: &mut Input<'_>, pending: &mut Vec<Pending>) -> Result<Option<Question>, WireError> {
    Ok(Some(match input.number()? {
        1 => {
            let enabled: Vec<ThreadId> = Wire::take(input)?;
            let decide = Question::Decide {
                enabled: enabled.into_iter().collect(),
                last: Wire::take(input)?,
                event: Wire::take(input)?,
                objects: Wire::take(input)?,
            };
            take_changes(input, pending)?;
            decide
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
                SHARED + FOR_NOTES + FOR_PAGES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        assert!(memory != libc::MAP_FAILED, "could not get memory that is shared with forked processes");
        let mut inline = Inline::new(arguments, task, names.clone());
        inline.get_ready(1);
        Forked {
            inline,
            names,
            memory: memory.cast(),
            run: Run::default(),
            parent: std::process::id() as libc::pid_t,
            ready: 1,
            inherited: Inherited::find(),
        }
    }

    /// The numbers that objects keep.
    pub(crate) fn kept_numbers(&self) -> (usize, Vec<ObjectId>) {
        self.inline.kept_numbers()
    }

    /// In the child: makes the run and writes it down.
    fn make(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> ! {
        die_with(self.parent);
        // SAFETY: asks for a number.
        let own = unsafe { libc::getpid() };
        // SAFETY: the process that forked this one waits for its end, and looks only at what lies before. Of memory that
        // is there, the first pages are mapped in one go, instead of each when it is touched.
        unsafe {
            let notes = self.memory.add(SHARED);
            libc::madvise(notes.cast(), USUAL_NOTES, libc::MADV_POPULATE_WRITE);
            NOTES.begin(notes, FOR_NOTES);
        }
        let mut out = Output::default();
        let sites_before = state::with(|state| state.known_sites());
        let pending = Vec::new();
        self.inline.run(&mut Recorder { chooser, out: &mut out, pending }, limits);
        out.number(0);
        self.inline.last().put(&mut out);
        self.names.all().put(&mut out);
        state::with(|state| {
            state.uncontrolled.retain(|_, strange| strange.now);
            state.told_uncontrolled().put(&mut out);
            state.new_sites(sites_before).put(&mut out);
            state.values.put(&mut out);
        });
        // SAFETY: asks for a number.
        if unsafe { libc::getpid() } != own {
            // The program has forked itself, and this is not the process whose run is told.
            leave(0);
        }
        if out.bytes.len() + HEAD > SHARED {
            leave(5);
        }
        // SAFETY: the memory is ours alone until the process ends, and large enough.
        unsafe {
            std::ptr::copy_nonoverlapping(out.bytes.as_ptr(), self.memory.add(HEAD), out.bytes.len());
            self.memory.cast::<u64>().write(out.bytes.len() as u64);
            self.inherited.tell(self.pages());
        }
        leave(0)
    }

    /// Where a process tells the pages that it has used.
    fn pages(&self) -> *mut usize {
        // SAFETY: the memory goes on for as long behind that of the run and the notes, which fill whole pages.
        unsafe { self.memory.add(SHARED + FOR_NOTES).cast() }
    }

    /// In the parent: asks the strategy what the child asked, and takes over its run.
    fn learn(&mut self, chooser: &mut dyn Chooser) -> Result<(), WireError> {
        // SAFETY: the child, which wrote it, is gone.
        let bytes = unsafe {
            let length = self.memory.cast::<u64>().read() as usize;
            std::slice::from_raw_parts(self.memory.add(HEAD), length.min(SHARED - HEAD))
        };
        let mut input = Input::new(bytes);
        let mut pending = Vec::new();
        while let Some(question) = question(&mut input, &mut pending)? {
            match question {
                Question::Decide { enabled, last, event, objects } => {
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
        let sites: Vec<usize> = Wire::take(&mut input)?;
        let values: Vec<u64> = Wire::take(&mut input)?;
        state::with(|state| {
            state.get_to_know(&sites);
            state.values = values;
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
        // What it held went with it.
        state::with(|state| state.values.clear());
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

impl Subject for Forked {
    fn run(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> &Run {
        self.inherited.run_begins();
        // SAFETY: the child makes one run on this thread, the only one, and ends without returning.
        let child = unsafe {
            self.memory.cast::<u64>().write(0);
            raw_syscall(libc::SYS_clone, [libc::SIGCHLD.into(), 0, 0, 0, 0, 0])
        } as libc::pid_t;
        if child == 0 {
            self.make(chooser, limits);
        }
        watch::child_is(child);
        let mut status = 0;
        if child < 0 {
            self.lost(0);
            return &self.run;
        }
        // SAFETY: waits for our own child.
        while unsafe { wait_for(child, &raw mut status) } == -i64::from(libc::EINTR) {}
        watch::child_is(0);
        // SAFETY: the child is gone.
        let written = unsafe {
            self.inherited.hear(self.pages());
            self.memory.cast::<u64>().read() > 0
        };
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
