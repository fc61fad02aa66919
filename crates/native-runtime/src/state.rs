//! Everything that the runtime keeps about the program and its current run.
//!
//! All of it belongs to the OS thread that searches, on which all fibers run. No reference to it is held across a switch
//! of fibers or a call into the program.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use raddle_channel::{Isolation, Races, Task, Uncontrolled, Variable, sites};
use raddle_detect::Clocks;
use raddle_trace::{Kind, ObjectId, Place, Site, ThreadId};

use crate::abi::{self, RawFrame, RawSite};
use crate::arena::{Arena, GivenOut};
use crate::faces::exceptions::{Terminate, Thrown, raddle_outermost};
use crate::faces::exit::{Leaving, registered_before_main};
use crate::faces::section::{self, Access};
use crate::objects::{Met, Objects};
use crate::shadow::{Mark, Shadow};
use crate::snapshot::Modules;
use crate::touched::TouchedInAnyRun;
use crate::variables::Gone;

/// What goes with a thread of the program.
#[derive(Debug)]
pub(crate) struct OfThread {
    /// The function that it began with; zero for the main thread.
    pub body: usize,
    /// What its function returned.
    pub result: *mut c_void,
    /// The values of its keys.
    pub keys: Vec<*mut c_void>,
    /// Its copies of thread-local variables, by number.
    pub locals: Vec<Local>,
    /// Destructors of its C++ thread-local variables.
    pub destructors: Vec<Destructor>,
    /// The handlers that it has pushed for its end.
    pub cleanups: Vec<*mut c_void>,
    /// How many random numbers it has drawn, and from which seed.
    pub random: (u64, u64),
    /// Whether somebody joined or detached it.
    pub released: bool,
    /// Plain reads in a row since its last visible step.
    pub quiet: u64,
    /// Where its stack begins; its frames lie below.
    pub stack_top: usize,
    /// Where the first frame of the program's on its stack begins.
    pub frames_top: usize,
    /// The innermost frame of its shadow call stack when it last waited for its turn.
    pub top: *mut RawFrame,
    /// Stands for what it has written to plain memory outside its stack.
    pub written: u64,
    /// What others have written on its stack, the earliest first: they may have done so before or after anything that it does
    /// until it gets to know of it.
    pub written_by_others: Vec<Foreign>,
    /// Whether it has asked for the time since it last went round a loop.
    pub looked_at_clock: bool,
    /// The atomic sections that it is in.
    pub sections: u32,
    /// The access to memory for which it keeps others out of atomic sections.
    pub access: Access,
    /// The exception that it threw last.
    pub thrown: Option<Thrown>,
    /// The cell on which its last weak compare-exchange failed for no reason.
    pub fickle: Option<ObjectId>,
    /// How often in a row its timed waits at condition variables gave up.
    pub gave_up: u32,
    /// The robust mutexes that it holds.
    pub robust: Vec<usize>,
    /// The signals that another thread has sent to it and that it has not taken, a bit for each.
    pub signals: u64,
}

impl OfThread {
    fn new() -> OfThread {
        OfThread {
            body: 0,
            result: std::ptr::null_mut(),
            keys: Vec::new(),
            locals: Vec::new(),
            destructors: Vec::new(),
            cleanups: Vec::new(),
            random: (0, 0),
            released: false,
            quiet: 0,
            stack_top: 0,
            frames_top: 0,
            top: std::ptr::null_mut(),
            written: 0,
            written_by_others: Vec::new(),
            looked_at_clock: false,
            sections: 0,
            access: Access::None,
            thrown: None,
            fickle: None,
            gave_up: 0,
            robust: Vec::new(),
            signals: 0,
        }
    }

    fn reset(&mut self, seed: u64) {
        self.body = 0;
        self.result = std::ptr::null_mut();
        self.keys.clear();
        self.locals.clear();
        self.destructors.clear();
        self.cleanups.clear();
        self.random = (seed, 0);
        self.released = false;
        self.quiet = 0;
        self.stack_top = 0;
        self.frames_top = 0;
        self.top = std::ptr::null_mut();
        self.written = 0;
        self.written_by_others.clear();
        self.looked_at_clock = false;
        self.sections = 0;
        self.access = Access::None;
        self.thrown = None;
        self.fickle = None;
        self.gave_up = 0;
        self.robust.clear();
        self.signals = 0;
    }
}

impl OfThread {
    fn has_no_lists(&self) -> bool {
        let OfThread { keys, locals, destructors, cleanups, robust, .. } = self;
        keys.len() + locals.len() + destructors.len() + cleanups.len() + robust.len() == 0
    }

    /// It writes something that is not known any closer.
    #[inline]
    pub(crate) fn writes_something(&mut self) {
        self.written = self.written.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    }

    /// Makes it what another one is; what was allocated stays.
    fn put_back(&mut self, saved: &OfThread) {
        self.body = saved.body;
        self.result = saved.result;
        // Most threads have none of these.
        if !(self.has_no_lists() && saved.has_no_lists()) {
            self.keys.clone_from(&saved.keys);
            self.locals.clone_from(&saved.locals);
            self.destructors.clone_from(&saved.destructors);
            self.cleanups.clone_from(&saved.cleanups);
            self.robust.clone_from(&saved.robust);
        }
        self.random = saved.random;
        self.released = saved.released;
        self.quiet = saved.quiet;
        self.stack_top = saved.stack_top;
        self.frames_top = saved.frames_top;
        self.top = saved.top;
        self.written = saved.written;
        self.written_by_others.clone_from(&saved.written_by_others);
        self.looked_at_clock = saved.looked_at_clock;
        self.sections = saved.sections;
        self.access = saved.access;
        self.thrown.clone_from(&saved.thrown);
        self.fickle = saved.fickle;
        self.gave_up = saved.gave_up;
        self.signals = saved.signals;
    }
}

/// A word on the stack of a thread that another one has written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreign {
    pub at: usize,
    /// What was there before.
    pub before: u64,
    pub thread: ThreadId,
    /// When the other thread did it, by its own time.
    pub time: u32,
}

/// A thread's copy of a thread-local variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub at: *mut c_void,
    pub size: usize,
}

impl Local {
    pub(crate) const NONE: Local = Local { at: std::ptr::null_mut(), size: 0 };
}

/// A function to be called at the end of a thread or of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destructor {
    pub function: unsafe extern "C" fn(*mut c_void),
    pub argument: *mut c_void,
}

/// Where something that is not under control was first used, and in how many runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strange {
    pub place: Place,
    pub runs: u64,
    /// Whether the current run has used it.
    pub now: bool,
}

// SAFETY: what the program registers is called by the thread on which all its threads run.
unsafe impl Send for Destructor {}

impl Destructor {
    /// Calls it.
    pub(crate) fn call(self) {
        let none = std::ptr::null_mut();
        // SAFETY: the program registered the function to be called now.
        unsafe { raddle_outermost(self.function as *const c_void, self.argument, none, none) };
    }
}

/// Everything.
pub(crate) struct State {
    pub task: Task,
    pub modules: Modules,
    pub objects: Objects,
    pub clocks: Clocks,
    pub shadow: Shadow,
    pub arena: Arena,
    pub threads: Vec<OfThread>,
    /// The thread whose code is running.
    pub current: ThreadId,
    /// No thread has been created yet in this run: nothing can race.
    pub alone: bool,
    /// Whether accesses to plain memory that threads share are steps of this run.
    pub shows_plain: bool,
    /// For a strategy that builds a model: who touched what in any run so far.
    pub touched_in_any_run: Option<TouchedInAnyRun>,
    /// The last site that the program told.
    pub last_site: *const RawSite,
    /// Events that the clocks have followed.
    pub followed: usize,
    /// Destructors of keys, by number of the key; `None` for a key that was deleted.
    pub key_destructors: Vec<Option<Option<unsafe extern "C" fn(*mut c_void)>>>,
    /// What to call at exit, the last one first.
    pub at_exit: Vec<Destructor>,
    /// What of that was registered before `main`.
    pub at_exit_before_main: Vec<Destructor>,
    /// What to call at the other way out, the last one first.
    pub at_quick_exit: Vec<Destructor>,
    /// The functions that the linker listed for the end of the program, the last one first.
    pub at_end: Vec<usize>,
    /// Whether the program is on its way out.
    pub exiting: bool,
    /// Whether `main` has left by `pthread_exit`, so that the end of the last thread is that of the program.
    pub leaving: Leaving,
    /// Thread-local variables that have a number in this run.
    pub locals: u32,
    /// Local variables whose functions have returned.
    pub gone: Gone,
    /// What is not under control and was used, with where.
    pub uncontrolled: BTreeMap<String, Strange>,
    /// Named semaphores and the like that the run has opened.
    pub named: BTreeMap<Vec<u8>, usize>,
    /// Where the C++ library keeps the exceptions of an OS thread, if that library is loaded.
    pub exceptions: Option<unsafe extern "C" fn() -> *mut c_void>,
    /// What `std::call_once` keeps for an OS thread while it calls, if the C++ library is loaded.
    pub once_variables: [*mut usize; 2],
    /// What the C++ library calls when nobody catches an exception, if that library is loaded.
    pub terminate: Option<Terminate>,
    /// The C library's error number of the OS thread on which all fibers run.
    pub error: *mut i32,
    /// Stop in the debugger when there are so many events.
    pub stop_after: Option<usize>,
    /// Whether the calls that lead to events are told: a run is made to be shown.
    pub tells_calls: bool,
    /// Whether the run went back to a checkpoint and no thread has gone on yet: what belongs to the OS thread is what the last
    /// What the variables of the task held at the end of the last run.
    pub values: Vec<u64>,
    /// run left there.
    pub went_back: bool,
    /// Whether the run has something that lies outside the memory which a checkpoint keeps.
    pub beyond_checkpoints: bool,
    places: BTreeMap<(usize, usize), Place>,
    /// The places found last, by the lowest bits of the site's address.
    recent: Vec<(usize, Place)>,
}

/// What is known of a run at a checkpoint.
#[derive(Default)]
pub(crate) struct Known {
    objects: Met,
    clocks: Clocks,
    shadow: Mark,
    given: GivenOut,
    threads: Vec<OfThread>,
    alone: bool,
    followed: usize,
    key_destructors: Vec<Option<Option<unsafe extern "C" fn(*mut c_void)>>>,
    at_exit: Vec<Destructor>,
    at_quick_exit: Vec<Destructor>,
    at_end: Vec<usize>,
    exiting: bool,
    leaving: Leaving,
    locals: u32,
}

static STATE: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());

const RECENT: usize = 256;

/// Uses the state for a moment.
#[inline]
pub(crate) fn with<R>(f: impl FnOnce(&mut State) -> R) -> R {
    let state = STATE.load(Ordering::Relaxed);
    assert!(!state.is_null(), "bug in raddle: the runtime is used before it was started");
    // SAFETY: the state is leaked, so it lives for ever. All users are on one OS thread, and `f` neither switches fibers nor
    // calls the program nor uses the state again.
    f(unsafe { &mut *state })
}

/// Whether there is a state.
#[inline]
pub(crate) fn is_set() -> bool {
    !STATE.load(Ordering::Relaxed).is_null()
}

/// Events that the current run has, as far as has been looked; for a signal handler.
pub(crate) fn events_now() -> usize {
    let state = STATE.load(Ordering::Relaxed);
    // SAFETY: the state is leaked once it is there; a number is read that may be a little old.
    unsafe { std::ptr::read_volatile(&raw const (*state).followed) }
}

fn find_exceptions() -> Option<unsafe extern "C" fn() -> *mut c_void> {
    // SAFETY: the name ends with a zero; the C++ library's function has this type.
    unsafe {
        let address = libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_get_globals".as_ptr());
        std::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn() -> *mut c_void>>(address)
    }
}

fn find_once_variables() -> [*mut usize; 2] {
    // SAFETY: the names end with a zero; for a thread-local variable the address is that of this OS thread.
    [c"_ZSt15__once_callable", c"_ZSt11__once_call"]
        .map(|name| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.cast())
}

/// Makes the state.
pub(crate) fn set(task: Task, modules: Modules) {
    let touched_in_any_run = task.strategy.builds_model().then(TouchedInAnyRun::default);
    let state = Box::new(State {
        at_exit_before_main: registered_before_main(&modules),
        at_quick_exit: Vec::new(),
        at_end: Vec::new(),
        arena: Arena::for_runs(usize::try_from(task.memory).unwrap_or(usize::MAX)),
        task,
        modules,
        objects: Objects::new(),
        clocks: Clocks::default(),
        shadow: Shadow::new(),
        threads: Vec::new(),
        current: ThreadId::MAIN,
        alone: true,
        shows_plain: false,
        touched_in_any_run,
        last_site: std::ptr::null(),
        followed: 0,
        key_destructors: Vec::new(),
        at_exit: Vec::new(),
        exiting: false,
        leaving: Leaving::No,
        locals: 0,
        gone: Gone::default(),
        uncontrolled: BTreeMap::new(),
        named: BTreeMap::new(),
        exceptions: find_exceptions(),
        once_variables: find_once_variables(),
        terminate: Terminate::find(),
        // SAFETY: the C library's function, which has no conditions.
        error: unsafe { libc::__errno_location() },
        stop_after: None,
        tells_calls: false,
        values: Vec::new(),
        went_back: false,
        beyond_checkpoints: false,
        places: BTreeMap::new(),
        recent: vec![(0, Place::Unknown); RECENT],
    });
    let state = Box::leak(state);
    if state.task.isolation == Isolation::Inline {
        state.objects.keep_numbers();
    }
    STATE.store(state, Ordering::Relaxed);
}

impl State {
    /// Looks what the variables of the task hold.
    pub(crate) fn look_at_variables(&mut self) {
        let value = |variable: &Variable| {
            let address = self.modules.in_program(variable.offset, variable.bytes)?;
            let mut bytes = [0; 8];
            let length = (variable.bytes as usize).min(bytes.len());
            // SAFETY: static memory of the program, which is there as long as the process is.
            unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), length) };
            Some(u64::from_le_bytes(bytes))
        };
        self.values = self.task.variables.iter().map(|variable| value(variable).unwrap_or(0)).collect();
    }

    /// A new run begins.
    pub(crate) fn reset(&mut self) {
        self.objects.reset();
        self.clocks.reset();
        self.shadow.reset();
        self.arena.reset();
        for index in 0..self.threads.len() {
            let seed = self.seed_of(index);
            self.threads[index].reset(seed);
        }
        self.current = ThreadId::MAIN;
        self.alone = true;
        if self.shows_plain
            && let Some(everybody) = &mut self.touched_in_any_run
        {
            everybody.reset();
        }
        self.last_site = std::ptr::null();
        self.followed = 0;
        self.key_destructors.clear();
        self.at_exit.clone_from(&self.at_exit_before_main);
        self.at_quick_exit.clear();
        self.at_end.clone_from(&self.modules.at_end);
        self.exiting = false;
        self.leaving = Leaving::No;
        self.beyond_checkpoints = false;
        self.went_back = false;
        self.gone.reset();
        self.locals = 0;
        self.named.clear();
        if let Some(terminate) = self.terminate {
            terminate.put_back();
        }
        self.uncontrolled.values_mut().for_each(|strange| strange.now = false);
    }

    /// Keeps what is known of the run so far; false if it has something that cannot be kept.
    pub(crate) fn keep_in(&mut self, known: &mut Known) -> bool {
        let strange = self.uncontrolled.values().any(|strange| strange.now);
        if self.beyond_checkpoints || strange || !self.named.is_empty() || self.stop_after.is_some() {
            return false;
        }
        self.objects.keep_in(&mut known.objects);
        known.clocks.put_back(&self.clocks);
        known.shadow = self.shadow.mark();
        self.arena.keep_in(&mut known.given);
        known.threads.resize_with(self.threads.len(), OfThread::new);
        for (known, thread) in known.threads.iter_mut().zip(&self.threads) {
            known.put_back(thread);
        }
        known.alone = self.alone;
        known.followed = self.followed;
        known.key_destructors.clone_from(&self.key_destructors);
        known.at_exit.clone_from(&self.at_exit);
        known.at_quick_exit.clone_from(&self.at_quick_exit);
        known.at_end.clone_from(&self.at_end);
        known.exiting = self.exiting;
        known.leaving = self.leaving;
        known.locals = self.locals;
        true
    }

    /// Back to what was known then.
    pub(crate) fn put_back(&mut self, known: &Known) {
        self.objects.put_back(&known.objects);
        self.clocks.put_back(&known.clocks);
        self.shadow.put_back(&known.shadow);
        self.arena.put_back_to(&known.given);
        for (thread, known) in self.threads.iter_mut().zip(&known.threads) {
            thread.put_back(known);
        }
        for index in known.threads.len()..self.threads.len() {
            let seed = self.seed_of(index);
            self.threads[index].reset(seed);
        }
        self.went_back = true;
        self.alone = known.alone;
        self.last_site = std::ptr::null();
        self.followed = known.followed;
        self.key_destructors.clone_from(&known.key_destructors);
        self.at_exit.clone_from(&known.at_exit);
        self.at_quick_exit.clone_from(&known.at_quick_exit);
        self.at_end.clone_from(&known.at_end);
        self.exiting = known.exiting;
        self.leaving = known.leaving;
        self.locals = known.locals;
        self.beyond_checkpoints = false;
        self.named.clear();
        self.uncontrolled.values_mut().for_each(|strange| strange.now = false);
        if let Some(terminate) = self.terminate {
            terminate.put_back();
        }
    }

    /// The seed of the random numbers of a thread.
    fn seed_of(&self, thread: usize) -> u64 {
        self.task.seed.wrapping_add((thread as u64) << 32)
    }

    /// The current run uses something that is not under control.
    pub(crate) fn uses_uncontrolled(&mut self, name: String, place: Place) {
        self.uncontrolled.entry(name).or_insert(Strange { place, runs: 0, now: true }).now = true;
    }

    /// The last run is one that counts.
    pub(crate) fn count_uncontrolled(&mut self) {
        self.uncontrolled.values_mut().for_each(|strange| strange.runs += u64::from(strange.now));
    }

    /// What is not under control, as it is told.
    pub(crate) fn told_uncontrolled(&mut self) -> Vec<Uncontrolled> {
        let told = |(name, strange): (&String, &Strange)| Uncontrolled {
            name: name.clone(),
            place: strange.place,
            runs: strange.runs,
        };
        self.uncontrolled.iter().map(told).collect()
    }

    /// What goes with a thread.
    pub(crate) fn thread(&mut self, thread: ThreadId) -> &mut OfThread {
        while self.threads.len() <= thread.index() {
            let mut new = OfThread::new();
            new.reset(self.seed_of(self.threads.len()));
            self.threads.push(new);
        }
        &mut self.threads[thread.index()]
    }

    /// What goes with the current thread.
    pub(crate) fn own(&mut self) -> &mut OfThread {
        self.thread(self.current)
    }

    /// Whether a model needs to know who touched what in other runs.
    fn needs_who_touched(&self) -> bool {
        self.touched_in_any_run.is_some() && !self.plain_is_visible()
    }

    /// Whether a model would need to know who touched what in other runs, and nobody can tell: each run is a process, or what
    /// is atomic is told by other steps.
    pub(crate) fn forgets_who_touched(&self) -> bool {
        let unknown = self.task.isolation == Isolation::Fork || section::is_used();
        // What nobody has a pointer to at the end depends on all memory, not on what threads have seen.
        self.needs_who_touched() && (unknown || self.task.leaks)
    }

    /// Whether accesses to plain memory that threads share can be steps.
    pub(crate) fn can_show_plain(&self) -> bool {
        self.needs_who_touched() && !self.forgets_who_touched()
    }

    /// Whether the current thread is the main thread, and has joined all others that there have been.
    pub(crate) fn has_joined_all(&self) -> bool {
        self.current == ThreadId::MAIN
            && raddle_runtime::with_run(|run| {
                let of = |kind: Kind| run.events.iter().filter(move |event| event.operation.kind == kind);
                of(Kind::Create).count()
                    == of(Kind::Join).filter(|join| join.thread == ThreadId::MAIN).count()
            })
    }

    /// Whether plain accesses are visible operations.
    #[inline]
    pub(crate) fn plain_is_visible(&self) -> bool {
        self.task.races == Races::Ignore
    }

    /// The place at which the current thread is, told apart by its calls if that was asked for.
    #[inline]
    pub(crate) fn place_now(&mut self, site: *const RawSite) -> Place {
        if self.task.context == 0 || site.is_null() {
            return self.place(site);
        }
        let calls = abi::calls(site, self.task.context as usize);
        let key = calls.clone().fold(0_usize, |key, call| key.rotate_left(21) ^ call as usize);
        if key == 0 {
            return self.place(site);
        }
        *self.places.entry((site as usize, key)).or_insert_with(|| site_in_context(site, calls))
    }

    /// The place of a site.
    #[inline]
    pub(crate) fn place(&mut self, site: *const RawSite) -> Place {
        let address = site as usize;
        if address == 0 {
            return Place::Unknown;
        }
        let recent = &self.recent[address / 32 % RECENT];
        if recent.0 == address { recent.1 } else { self.find_place(site) }
    }

    /// How many places are known.
    pub(crate) fn known_sites(&self) -> usize {
        self.places.len()
    }

    /// The addresses of all sites whose places are known, if there are more than so many.
    pub(crate) fn new_sites(&self, before: usize) -> Vec<usize> {
        let all = if self.places.len() > before { self.places.keys() } else { return Vec::new() };
        all.filter(|(_, context)| *context == 0).map(|(site, _)| *site).collect()
    }

    /// Looks up the places of sites that another process has met, so that those to come know them.
    pub(crate) fn get_to_know(&mut self, sites: &[usize]) {
        for site in sites.iter().copied().filter(|site| site.is_multiple_of(8)) {
            if self.modules.is_own(site) && self.modules.is_own(site + size_of::<RawSite>()) {
                self.place(site as *const RawSite);
            }
        }
    }

    #[cold]
    fn find_place(&mut self, site: *const RawSite) -> Place {
        let address = site as usize;
        let place =
            *self.places.entry((address, 0)).or_insert_with(|| site_in_context(site, std::iter::empty()));
        self.recent[address / 32 % RECENT] = (address, place);
        place
    }
}

/// The place of a site that was reached by these calls, the innermost first.
pub(crate) fn site_in_context(site: *const RawSite, calls: impl Iterator<Item = *const RawSite>) -> Place {
    // SAFETY: the pass gives sites that live as long as the program.
    let raw = unsafe { &*site };
    let calls: Vec<(String, u32)> = calls
        // SAFETY: as above.
        .map(|call| unsafe { (abi::text((*call).file).into_owned(), (*call).line) })
        .collect();
    let context = Site::context_of(calls.iter().map(|(file, line)| (file.as_str(), *line)));
    sites::site(&abi::text(raw.file), &abi::text(raw.function), raw.line, raw.column(), context)
        .map_or(Place::Unknown, Place::Site)
}

/// The place from which instrumented code called us.
#[inline]
pub(crate) fn here() -> Place {
    let site = abi::caller();
    with(|state| state.place_now(site))
}

/// The program used something that is not under control.
#[cold]
pub(crate) fn uncontrolled(name: &str) {
    let place = here();
    with(|state| state.uses_uncontrolled(name.to_owned(), place));
}
