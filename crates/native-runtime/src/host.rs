//! The task: reads it, does it, tells what came out.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::{c_char, c_int};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use raddle_channel::{Found, Isolation, Message, Progress, Resume, Task, Times, Told, What, frame, turns};
use raddle_coverage::HapSets;
use raddle_detect::{Finding, judge};
use raddle_explore::{
    Budget, Chooser, Doubt, Limit, Moment, Reached, Replay, RunLimits, Search, Settings, Stop, Strategy,
    Subject, passing, shrink,
};
use raddle_runtime::Names;
use raddle_trace::{ObjectId, Run, Step, TraceKey};

use crate::fork::Forked;
use crate::inline::Inline;
use crate::outcomes::{Counter, Outcomes};
use crate::shared::Shared;
use crate::snapshot::Modules;
use crate::start::Main;
use crate::{record, state, watch};

/// Samples that a strategy which never ends by itself takes, unless told otherwise.
const DEFAULT_SAMPLES: u64 = 10_000;
/// How much of the way to where the search is at work is told.
const TOLD_TURNS: usize = 6;
/// Time between two messages about the progress.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// How far below the limit of descriptors ours lies; those below are the program's.
const FROM_THE_TOP: u64 = 8;
/// Where ours lies if there is no limit.
const OUR_DESCRIPTORS: u64 = 1024;

/// The arguments of `main`.
#[derive(Clone, Copy)]
pub(crate) struct Arguments {
    pub main: Main,
    pub argc: c_int,
    pub argv: *mut *mut c_char,
    pub envp: *mut *mut c_char,
}

/// The supervisor's end.
pub(crate) struct Channel(File);

impl Channel {
    fn open(descriptor: c_int) -> Option<Channel> {
        let mut limit = libc::rlimit { rlim_cur: OUR_DESCRIPTORS, rlim_max: 0 };
        // SAFETY: a valid place for the limit; otherwise only numbers: a descriptor that is not open gives an error.
        let moved = unsafe {
            libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
            let from = limit.rlim_cur.min(OUR_DESCRIPTORS + FROM_THE_TOP).saturating_sub(FROM_THE_TOP);
            libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, from as c_int)
        };
        if moved < 0 {
            return None;
        }
        // SAFETY: the supervisor gave us the descriptor; the new one is ours.
        unsafe {
            libc::close(descriptor);
            Some(Channel(File::from_raw_fd(moved)))
        }
    }

    /// Sends a message; when nobody listens any more there is nothing left to do.
    pub(crate) fn send(&mut self, message: &Message) {
        if frame::write(&mut self.0 as &mut dyn Write, message).is_err() {
            leave(4);
        }
    }
}

impl Channel {
    /// Whether the supervisor wants the search to stop. As long as it wants it to wait, this waits, and adds the time.
    fn is_asked_to_stop(&mut self, waited: &Cell<Duration>) -> bool {
        let mut pausing = None;
        while pausing.is_some() || self.has_something_to_say() {
            let mut word = [0];
            match self.0.read(&mut word) {
                Ok(1) if word[0] == frame::PAUSE => pausing = pausing.or_else(|| Some(Instant::now())),
                Ok(1) if word[0] == frame::GO_ON => {
                    let since: Option<Instant> = pausing.take();
                    waited.set(waited.get() + since.map_or(Duration::ZERO, |since| since.elapsed()));
                }
                // It wants us to stop, or is gone.
                _ => return true,
            }
        }
        false
    }

    fn has_something_to_say(&self) -> bool {
        let mut poll = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid entry; it does not wait.
        unsafe { libc::poll(&raw mut poll, 1, 0) == 1 }
    }
}

/// Ends the process without any of the program's own clean-up.
pub(crate) fn leave(code: c_int) -> ! {
    // SAFETY: ends the process.
    unsafe { crate::real::raw_syscall(libc::SYS_exit_group, [code.into(), 0, 0, 0, 0, 0]) };
    unreachable!("bug in raddle: the process did not end")
}

/// Does what the supervisor asks for, and ends the process. Returns only if there is no supervisor.
pub(crate) fn take_over(
    descriptor: c_int,
    main: Main,
    argc: c_int,
    argv: *mut *mut c_char,
    envp: *mut *mut c_char,
) {
    let Some(mut channel) = Channel::open(descriptor) else { return };
    let task = match frame::read::<Task>(&mut channel.0 as &mut dyn Read) {
        Ok(Some(task)) => task,
        _ => leave(frame::NOT_UNDERSTOOD),
    };
    let (first, ours) = frame::FIND_FUNCTIONS_FIRST;
    let is_ours = std::env::var_os(first).is_some_and(|value| value == ours);
    // SAFETY: no other thread exists yet that could read the environment.
    unsafe {
        std::env::remove_var(crate::start::CHANNEL);
        if is_ours {
            std::env::remove_var(first);
        }
    }
    be_threaded();
    let mut modules = Modules::find();
    channel.send(&Message::Hello { modules: modules.told(), strangers: modules.strangers.clone() });
    if task.what == What::Record {
        be_silent();
        record::begin(channel, &task);
        // SAFETY: the program's own function with its own arguments.
        record::finish(unsafe { main(argc, argv, envp) });
    }
    modules.save();
    if modules.has_sections {
        crate::faces::section::expect();
    }
    if modules.makes_locks {
        crate::lifetime::expect();
    }
    if modules.sees_ends {
        crate::faces::joins::expect();
    }
    state::set(task.clone(), modules);
    watch::prepare(task.stuck_after);
    let arguments = Arguments { main, argc, argv, envp };
    if !matches!(task.what, What::Again { .. }) {
        be_silent();
    }
    if let Some(resume) = &task.resume {
        state::with(|state| state.objects.restore_kept(&resume.objects));
    }
    let shared = task.part.map(Shared::open);
    let mut names = shared.map_or_else(Names::default, Shared::names);
    for name in task.resume.iter().flat_map(|resume| &resume.threads) {
        names.find(name);
    }
    let known: Option<Vec<_>> = task.threads.iter().map(|name| names.find(name)).collect();
    let renumbered = |steps: &[Step]| {
        let numbers = known.as_ref()?;
        let step = |step: &Step| match step {
            Step::Thread(thread) => numbers.get(thread.index()).copied().map(Step::Thread),
            Step::Alternative(alternative) => Some(Step::Alternative(*alternative)),
        };
        steps.iter().map(step).collect::<Option<Vec<_>>>()
    };
    let mut host = Host { task: task.clone(), arguments, names: names.clone(), channel, shared };
    match &task.what {
        What::Search => host.search(),
        What::Again { steps, stop_before } => {
            let steps = renumbered(steps).unwrap_or_default();
            // Before a step is after the one in front of it; there is nothing before the first.
            let after = stop_before.map(|step| (step as usize).saturating_sub(1).max(1));
            state::with(|state| {
                state.stop_after = after;
                state.tells_calls = true;
            });
            host.again(&steps);
        }
        What::Shrink { steps, finding, max_runs } => {
            let steps = renumbered(steps).unwrap_or_default();
            host.shrink(&steps, finding, *max_runs);
        }
        What::Passing { steps, max_runs } => {
            let steps = renumbered(steps).unwrap_or_default();
            host.passing(&steps, *max_runs);
        }
        What::Record => unreachable!("bug in raddle: a recorded program has ended by now"),
    }
    leave(0)
}

/// The C++ library counts references without atomic operations as long as it believes that there is one thread. It never
/// sees ours, so it is told.
fn be_threaded() {
    // SAFETY: the name ends with a zero; the variable is one byte that the C library lets others read.
    unsafe {
        let single = libc::dlsym(libc::RTLD_DEFAULT, c"__libc_single_threaded".as_ptr()).cast::<u8>();
        if !single.is_null() {
            *single = 0;
        }
    }
}

/// What the program prints during a search is of no use to anybody.
fn be_silent() {
    // SAFETY: opens and copies descriptors; failures leave the output as it was.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if nowhere >= 0 {
            libc::dup2(nowhere, 1);
            libc::dup2(nowhere, 2);
            libc::close(nowhere);
        }
    }
}

/// The program, made to run again and again.
enum Made {
    Inline(Box<Inline>),
    Forked(Box<Forked>),
}

impl Made {
    fn kept_numbers(&self) -> (usize, Vec<ObjectId>) {
        match self {
            Made::Inline(inline) => inline.kept_numbers(),
            Made::Forked(forked) => forked.kept_numbers(),
        }
    }
}

impl Subject for Made {
    fn run(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> &Run {
        match self {
            Made::Inline(inline) => inline.run(chooser, limits),
            Made::Forked(forked) => forked.run(chooser, limits),
        }
    }

    fn as_told(&mut self, run: &Run, limits: &RunLimits) -> Run {
        match self {
            Made::Inline(inline) => inline.as_told(run, limits),
            Made::Forked(forked) => forked.as_told(run, limits),
        }
    }
}

/// The task that is being done.
struct Host {
    task: Task,
    arguments: Arguments,
    names: Names,
    channel: Channel,
    /// What is shared with the other processes that search.
    shared: Option<Shared>,
}

impl Host {
    fn subject(&self) -> Made {
        match self.task.isolation {
            Isolation::Inline => {
                Made::Inline(Box::new(Inline::new(self.arguments, &self.task, self.names.clone())))
            }
            Isolation::Fork => {
                Made::Forked(Box::new(Forked::new(self.arguments, &self.task, self.names.clone())))
            }
        }
    }

    fn limits(&self) -> RunLimits {
        RunLimits { max_steps: self.task.max_steps }
    }

    fn search(&mut self) {
        let start = Instant::now();
        let mut subject = self.subject();
        let task = self.task.clone();
        let mut settings = Settings {
            seed: task.seed,
            bound: task.bound,
            watched: task.watched,
            match_values: task.match_values,
            share: self.shared.map(Shared::share),
            ..Settings::default()
        };
        // The supervisor has looked at both before it sent them.
        settings.guidance.sets = HapSets::from_bytes(&task.coverage).ok().map(Arc::new);
        settings.guidance.context = task.context;
        settings.guidance.aim = task.aim.as_deref().and_then(|aim| aim.parse().ok());
        let mut strategy = task.strategy.make(&settings);
        let default_runs =
            (task.strategy.only_samples() && task.max_time.is_none()).then_some(DEFAULT_SAMPLES);
        // What the user lets it wait is not spent.
        let waited = Cell::new(Duration::ZERO);
        let elapsed = || start.elapsed().saturating_sub(waited.get());
        let limits = self.limits();
        let max_runs = task.max_runs.or(default_runs);
        let shared = self.shared;
        let mut search = Search {
            subject: &mut subject,
            strategy: &mut *strategy,
            // Runs of several processes are counted together, below.
            budget: Budget { max_runs: max_runs.filter(|_| shared.is_none()), max_time: task.max_time },
            limits,
            elapsed: &elapsed,
        };
        let mut teller = Teller::new(&task);
        let mut out_of_runs = false;
        let mut traces = task.count_traces.then(BTreeSet::new);
        let mut outcomes = task.outcomes.then(Outcomes::default);
        let mut judge = |moment: Moment<'_>, strategy: &dyn Strategy| {
            let (run, number) = match moment {
                Moment::Run(run, number) => (run, number),
                Moment::Begins => return Stop::No,
                Moment::Thinking => {
                    return Stop::after(false, teller.tell(strategy, &mut self.channel, &waited));
                }
            };
            let total = shared.map_or(number, Shared::count_run);
            out_of_runs = shared.is_some() && max_runs.is_some_and(|most| total >= most);
            let enough = out_of_runs || shared.is_some_and(Shared::is_stopped);
            let stop = teller.count(run, number, strategy, &mut self.channel, &waited);
            state::with(state::State::count_uncontrolled);
            if let Some(traces) = &mut traces {
                traces.insert(TraceKey::of(&run.events));
            }
            let finding = raddle_detect::judge(run);
            if task.listed {
                let (events, ending) = (run.events.clone(), run.ending);
                let found = finding.as_ref().map(|finding| finding.kind);
                self.channel.send(&Message::Listed { number, events, ending, found });
            }
            if let Some(outcomes) = &mut outcomes {
                outcomes.add(run, finding.as_ref(), number);
            }
            match finding {
                Some(finding) => {
                    teller.found(finding, run, total, &self.names, &mut self.channel);
                    if !task.keep_going {
                        shared.inspect(|shared| shared.stop());
                    }
                    Stop::after(true, enough || !task.keep_going)
                }
                None => Stop::after(false, enough || stop),
            }
        };
        let mut reached = match task.resume {
            Some(resume) => search.resume(resume.reached, &mut judge).unwrap_or_else(|how| {
                let doubt = Some(Doubt::Lost { how: how.to_owned() });
                Reached { doubt, ..Reached::default() }
            }),
            None => search.run_watched(&mut judge),
        };
        if out_of_runs {
            reached.limit = max_runs.map(Limit::Runs);
        }
        if reached.saved.is_some() {
            self.save(&reached, &subject);
        }
        reached.net = strategy.net(task.model_nodes as usize).filter(|_| task.model_nodes > 0).map(Box::new);
        reached.traces = traces.map(|traces| traces.len() as u64);
        if task.keep_going {
            self.channel.send(&Message::Met(teller.met()));
        }
        if let Some(outcomes) = outcomes {
            self.channel.send(&outcomes.told());
        }
        self.done(Reached { saved: None, ..reached });
    }

    /// Tells what a new process needs to go on.
    fn save(&mut self, reached: &Reached, subject: &Made) {
        let (given, tokens) = subject.kept_numbers();
        let resume = Resume {
            reached: Reached { explored: None, ..reached.clone() },
            threads: self.names.all(),
            objects: state::with(|state| state.objects.all_kept()),
            given: given as u64,
            tokens,
            // The supervisor has it.
            found: Vec::new(),
        };
        self.channel.send(&Message::Saved(Box::new(resume)));
    }

    /// Tells what is not under control, and that the task is done.
    fn done(&mut self, mut reached: Reached) {
        for strange in state::with(state::State::told_uncontrolled) {
            let (name, place) = (strange.name.clone(), strange.place);
            reached.doubt.get_or_insert(Doubt::Uncontrolled { name, place });
            self.channel.send(&Message::Uncontrolled(strange));
        }
        self.channel.send(&Message::Done(reached));
    }

    fn again(&mut self, steps: &[Step]) {
        let limits = self.limits();
        let mut subject = self.subject();
        // It is going to be shown, even if it passes.
        let run = subject.run(&mut Replay::new(steps).named(), &limits).clone();
        self.tell(&run, 1);
    }

    fn shrink(&mut self, steps: &[Step], expected: &Finding, max_runs: u64) {
        let limits = self.limits();
        let mut subject = self.subject();
        let first = subject.run(&mut Replay::new(steps), &limits).clone();
        let same = |run: &Run| judge(run).is_some_and(|finding| finding.is_same(expected));
        if !same(&first) {
            return self.tell(&first, 1);
        }
        let shrunk = shrink(&mut subject, &limits, &first, max_runs, &mut |run| same(run));
        let run = subject.run(&mut Replay::new(&shrunk.steps), &limits).clone();
        self.tell(&run, shrunk.runs);
    }

    fn passing(&mut self, steps: &[Step], max_runs: u64) {
        let start = Instant::now();
        let limits = self.limits();
        let most = self.task.max_time.unwrap_or(Duration::MAX);
        let mut subject = self.subject();
        let found = subject.run(&mut Replay::new(steps), &limits).clone();
        let may_go_on = &mut |runs| runs < max_runs && start.elapsed() < most;
        let passing = passing(&mut subject, &limits, &found, may_go_on, &mut |run| judge(run).is_some());
        let run = match &passing.steps {
            Some(steps) => subject.run(&mut Replay::new(steps), &limits).clone(),
            None => found,
        };
        self.tell(&run, passing.runs);
    }

    fn tell(&mut self, run: &Run, runs: u64) {
        let told = Box::new(Told::new(run, self.names.all()));
        self.channel.send(&Message::Run { told, finding: judge(run), runs });
        let reached = Reached {
            runs,
            steps: run.events.len() as u64,
            longest: run.events.len(),
            threads: run.threads,
            ..Reached::default()
        };
        self.done(reached);
    }
}

/// Tells the supervisor what happens during a search.
struct Teller {
    told: Instant,
    progress: Progress,
    /// What was found, and how often.
    found: Vec<(Finding, Counter)>,
    /// Whether it is counted.
    counts: bool,
    /// Runs between two looks at the clock.
    pause: u64,
}

impl Teller {
    fn new(task: &Task) -> Teller {
        // Where much happens between two runs, a look at the clock is nothing.
        let often = task.isolation == Isolation::Fork || task.strategy.builds_model();
        let pause = if often { 1 } else { 64 };
        let counts = task.keep_going;
        Teller { told: Instant::now(), progress: Progress::default(), found: Vec::new(), counts, pause }
    }

    /// Counts a run; true if the supervisor wants the search to stop.
    fn count(
        &mut self,
        run: &Run,
        number: u64,
        strategy: &dyn Strategy,
        channel: &mut Channel,
        waited: &Cell<Duration>,
    ) -> bool {
        self.progress.runs = number;
        self.progress.steps += run.events.len() as u64;
        self.progress.threads = self.progress.threads.max(run.threads);
        if !number.is_multiple_of(self.pause) || self.told.elapsed() < TELL_EVERY {
            return false;
        }
        self.progress.length = run.events.len();
        self.progress.at = strategy.shared().min(run.events.len());
        self.progress.way = turns(&run.events[..self.progress.at], TOLD_TURNS);
        self.tell(strategy, channel, waited)
    }

    /// Tells how far the search is, if that was a while ago: a supervisor that hears nothing takes the program for stuck.
    /// True if it wants the search to stop.
    fn tell(&mut self, strategy: &dyn Strategy, channel: &mut Channel, waited: &Cell<Duration>) -> bool {
        if self.told.elapsed() < TELL_EVERY {
            return false;
        }
        self.told = Instant::now();
        self.progress.estimate = strategy.estimate(self.progress.runs);
        channel.send(&Message::Progress(self.progress.clone()));
        channel.is_asked_to_stop(waited)
    }

    fn found(&mut self, finding: Finding, run: &Run, number: u64, names: &Names, channel: &mut Channel) {
        let known = self.found.iter().position(|(known, _)| known.is_same(&finding));
        let which = known.unwrap_or_else(|| {
            let told = Told::new(run, names.all());
            channel.send(&Message::Found(Box::new(Found { finding: finding.clone(), told, run: number })));
            self.found.push((finding, Counter::new()));
            self.found.len() - 1
        });
        if self.counts {
            self.found[which].1.count(run);
        }
    }

    /// How often each finding was met.
    fn met(&self) -> Vec<Times> {
        self.found.iter().map(|(_, counter)| counter.times()).collect()
    }
}
