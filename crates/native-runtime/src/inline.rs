//! Runs in this process, whose memory is put back before each.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

use raddle_channel::{Isolation, Task};
use raddle_explore::{Chooser, Retake, RunLimits, Subject};
use raddle_runtime::{Names, Program, StageOptions};
use raddle_trace::{Ending, ObjectId, Place, Run, ThreadId, Trouble, Whereabouts};
use raddle_world::Options;

use crate::abi::__raddle_active;
use crate::checkpoint::Checkpoints;
use crate::faces::exceptions::raddle_outermost;
use crate::faces::{descriptors, exit};
use crate::host::Arguments;
use crate::{control, state, watch};

/// How many times as large the stack of the main thread is.
pub(crate) const MAIN_STACK: usize = 8;

/// The call by which a thread asks for another one's end, which is not under control.
const CANCEL: &str = "pthread_cancel";

/// The program, made to run again and again.
pub(crate) struct Inline {
    program: Program<Box<dyn Fn()>>,
    arguments: Vec<(*mut u8, Vec<u8>)>,
    /// Whether each run is made in a process of its own, in which nothing has to be put back.
    forked: bool,
    checkpoints: Checkpoints,
}

impl Inline {
    pub(crate) fn new(arguments: Arguments, task: &Task, names: Names) -> Inline {
        let options = StageOptions {
            world: Options {
                timeouts: task.timeouts,
                spurious_wakeups: task.spurious_wakeups,
                // Instrumented code tells of each round of a loop, and what a thread keeps to itself can be looked at.
                guesses_loops: false,
            },
            foreign: true,
            stable: task.isolation == Isolation::Inline,
            stack: (task.stack as usize).clamp(1 << 16, 1 << 30),
            main_stack: (task.stack as usize).clamp(1 << 16, 1 << 27) * MAIN_STACK,
            place: last_place,
            ..StageOptions::default()
        };
        let main = Box::new(move || -> () {
            let frame = 0_u8;
            control::enter(ThreadId::MAIN, &raw const frame as usize);
            // SAFETY: the program's own function with its own arguments.
            let code = unsafe {
                raddle_outermost(
                    arguments.main as *const c_void,
                    arguments.argc as usize as *mut c_void,
                    arguments.argv.cast(),
                    arguments.envp.cast(),
                )
            };
            exit::program_ends(code as usize as c_int)
        }) as Box<dyn Fn()>;
        let mut program = Program::new(main, options);
        program.share_names(names);
        if let Some(resume) = &task.resume {
            program.restore_numbers(resume.given as usize, resume.tokens.clone());
        }
        let arguments = texts(&arguments);
        let ranges = arguments.iter().map(|(at, bytes)| (*at as usize, *at as usize + bytes.len()));
        let forked = task.isolation == Isolation::Fork;
        let checkpoints = Checkpoints::new(task.checkpoints && !forked, ranges.collect());
        Inline { program, arguments, forked, checkpoints }
    }

    /// Gets ready for runs of so many threads, before a process is forked that makes one.
    pub(crate) fn get_ready(&mut self, threads: usize) {
        self.program.prepare(threads);
    }

    /// Puts everything back to what it was before the first run.
    fn prepare(&self) {
        state::with(|state| {
            if !self.forked {
                state.modules.restore();
            }
            state.reset();
        });
        if self.forked {
            return;
        }
        for (at, bytes) in &self.arguments {
            // SAFETY: the program's arguments, which are its own to change and have this many bytes.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), *at, bytes.len()) };
        }
    }

    /// Makes a run, from the last checkpoint that it can go on from, or else from the start.
    fn make(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) {
        let goes_on = self.checkpoints.go_back(chooser);
        let wanted = self.checkpoints.wanted(chooser);
        if !goes_on {
            self.prepare();
        }
        __raddle_active.store(1, Ordering::Relaxed);
        // SAFETY: the memory of the program was put back with the checkpoint, and a run that does not go on from it or a later
        // one made us forget it. The chooser is ours until the run has been made.
        unsafe { self.program.begin_from(self.checkpoints.last(), chooser, limits) };
        self.program.make_with(wanted, &mut |stage| self.checkpoints.keep(stage));
        __raddle_active.store(0, Ordering::Relaxed);
    }

    /// Adds where objects lie, for a report.
    fn locate(&mut self) {
        let threads = self.program.names().all().len();
        let stacks: Vec<_> = (0..threads).map(|index| self.program.stack(ThreadId::new(index))).collect();
        let run = self.program.last_mut();
        for (number, note) in run.objects.iter_mut().enumerate() {
            note.lies = whereabouts(number, &stacks);
            if let Some(name) = descriptors::name_of(state::with(|state| state.objects.address(number))) {
                note.name = Some(name);
            }
        }
        run.bodies = state::with(|state| {
            let bodies = state.threads.iter().map(|thread| state.modules.whereabouts(thread.body));
            bodies.map(Option::unwrap_or_default).collect()
        });
    }

    /// A run that slept for too long says in which call, and where that is.
    fn name_the_call(&mut self) {
        let site = watch::asleep_in();
        let place = state::with(|state| state.place(site));
        if let Some(trouble) = &mut self.program.last_mut().trouble {
            trouble.place = place;
            // SAFETY: null, or a site that the pass wrote into the program.
            if let Some(name) = unsafe { site.as_ref() }.map(|site| site.name).filter(|name| !name.is_null())
            {
                trouble.message = crate::abi::text(name).into_owned();
            }
        }
    }

    /// Threads that wait for ever for one that was cancelled: that one would have come to its end.
    fn forgive_cancellation(&mut self) {
        let cancelled =
            state::with(|state| state.uncontrolled.get(CANCEL).filter(|strange| strange.now).copied());
        let run = self.program.last_mut();
        if let (Some(cancelled), Ending::Deadlock | Ending::Livelock) = (cancelled, run.ending) {
            run.ending = Ending::Outside;
            run.trouble = Some(Trouble {
                thread: ThreadId::MAIN,
                message: CANCEL.to_owned(),
                place: cancelled.place,
                block: None,
            });
        }
    }

    /// The numbers that objects keep.
    pub(crate) fn kept_numbers(&self) -> (usize, Vec<ObjectId>) {
        let (given, tokens) = self.program.world().kept_numbers();
        (given, tokens.to_vec())
    }

    /// The last run.
    pub(crate) fn last(&mut self) -> &Run {
        self.program.last_mut()
    }
}

/// The arguments as they are now.
fn texts(arguments: &Arguments) -> Vec<(*mut u8, Vec<u8>)> {
    let mut texts = Vec::new();
    for index in 0..usize::try_from(arguments.argc).unwrap_or(0) {
        // SAFETY: there are `argc` arguments, each of which ends with a zero.
        unsafe {
            let text = *arguments.argv.add(index);
            if !text.is_null() {
                texts.push((text.cast(), std::ffi::CStr::from_ptr(text).to_bytes_with_nul().to_vec()));
            }
        }
    }
    texts
}

/// Where the current thread was last.
fn last_place() -> Place {
    state::with(|state| {
        let site = if state.last_site.is_null() { crate::abi::last_call() } else { state.last_site };
        state.place(site)
    })
}

fn whereabouts(object: usize, stacks: &[Option<(usize, usize)>]) -> Whereabouts {
    state::with(|state| {
        let address = state.objects.address(object);
        if address == 0 {
            return Whereabouts::Unknown;
        }
        if state.arena.contains(address) {
            let Some((by, number, offset, site)) = state.arena.number(address) else {
                return Whereabouts::Unknown;
            };
            return Whereabouts::Heap { by, number, offset, allocated: state.place(site) };
        }
        if let Some(lies) = state.modules.whereabouts(address) {
            return lies;
        }
        let on =
            |stack: &Option<(usize, usize)>| stack.is_some_and(|(low, high)| (low..high).contains(&address));
        match stacks.iter().position(on) {
            Some(index) => {
                let high = stacks[index].map_or(0, |(_, high)| high);
                Whereabouts::Stack { thread: ThreadId::new(index), offset: (high - address) as u64 }
            }
            None => Whereabouts::Unknown,
        }
    })
}

impl Subject for Inline {
    fn run(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> &Run {
        watch::run_begins();
        state::with(|state| state.shows_plain = chooser.sees_plain() && state.can_show_plain());
        self.make(chooser, limits);
        state::with(|state| {
            if !state.task.variables.is_empty() {
                state.look_at_variables();
            }
        });
        if state::with(|state| state.task.reads_elsewhere || state.forgets_who_touched()) {
            self.program.last_mut().unseen_access = true;
        }
        watch::run_ends();
        if self.program.last_mut().ending == Ending::Outside {
            self.name_the_call();
        }
        self.forgive_cancellation();
        exit::flush();
        if !self.program.last_mut().objects.is_empty() {
            self.locate();
        }
        self.program.last_mut()
    }

    /// A run with something wrong is made again, because its schedule has to lead there without these steps.
    fn as_told(&mut self, run: &Run, limits: &RunLimits) -> Run {
        if raddle_detect::judge(run).is_some() {
            let again = self.run(&mut Retake::new(&run.events), limits);
            if raddle_detect::judge(again).is_some() {
                return again.clone();
            }
        }
        run.without_plain_steps()
    }
}
