//! One process of the program under test: started, listened to, ended for sure.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use raddle_channel::{ChannelError, Isolation, Message, Task, frame};

use crate::captured::{Capture, ProgramOutput, pipe};
use crate::confine::{Usage, confine};
use crate::{Limits, Program, interrupt, strays};

/// How often it is looked whether the program keeps within its limits.
const LOOK: Duration = Duration::from_millis(200);

/// How long a process that was asked to stop is waited for.
const STOPPING: Duration = Duration::from_secs(3);

/// Why a process was ended by us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// It said nothing for too long.
    Silent,
    /// It used more memory than allowed.
    Memory,
    /// It started more processes than allowed.
    Processes,
    /// Its time was over.
    Time,
    /// The user said stop.
    Interrupted,
}

/// What comes from the process.
pub(crate) enum Heard {
    /// A message.
    Message(Box<Message>),
    /// The process closed the channel, most likely because it is gone.
    Closed,
    /// The channel carries something else than messages.
    Broken(ChannelError),
    /// It had to be ended.
    Ended(Reason),
}

/// A process that is gone.
#[derive(Clone, Debug)]
pub(crate) struct Gone {
    /// How it ended.
    pub(crate) status: Option<ExitStatus>,
    /// What it wrote.
    pub(crate) output: ProgramOutput,
    /// The most memory that it was seen to use; zero if it was gone before anybody looked.
    pub(crate) memory: u64,
}

impl Gone {
    /// How it ended, in a few words.
    pub(crate) fn how(&self) -> String {
        match self.status {
            None => "its process ended in a way that the system does not tell".to_owned(),
            Some(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("its process was killed by {}", signal_name(signal)),
                (_, Some(code)) => format!("its process ended with exit code {code}"),
                _ => "its process ended".to_owned(),
            },
        }
    }
}

/// The name of a signal.
pub(crate) fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV (segmentation fault)",
        libc::SIGBUS => "SIGBUS (bus error)",
        libc::SIGFPE => "SIGFPE (arithmetic error)",
        libc::SIGILL => "SIGILL (illegal instruction)",
        libc::SIGABRT => "SIGABRT (abort)",
        libc::SIGKILL => "SIGKILL",
        libc::SIGTERM => "SIGTERM",
        libc::SIGPIPE => "SIGPIPE (nobody reads)",
        libc::SIGXFSZ => "SIGXFSZ (file too large)",
        libc::SIGXCPU => "SIGXCPU (processor time)",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

/// A process under test.
pub(crate) struct Host<'a> {
    child: Child,
    group: i32,
    channel: UnixStream,
    capture: Option<Capture>,
    limits: Limits,
    interrupted: &'a dyn Fn() -> bool,
    /// The last sign of life.
    heard: Instant,
    /// When it was last looked whether it keeps within its limits.
    looked: Instant,
    /// When it has to be done.
    until: Option<Instant>,
    ended: Option<Reason>,
    /// The most memory that was seen.
    memory: u64,
    /// Whether everything was killed; afterwards the number of the group may belong to others.
    gone: bool,
    /// Since when it has been asked to stop by itself.
    asked: Option<Instant>,
    /// Since when it has been waiting because the user wants it to.
    paused: Option<Instant>,
}

impl<'a> Host<'a> {
    /// Starts the program and gives it its task.
    pub(crate) fn start(
        program: &Program,
        limits: &Limits,
        task: &Task,
        until: Option<Instant>,
        interrupted: &'a dyn Fn() -> bool,
    ) -> io::Result<Host<'a>> {
        let (mut ours, theirs) = UnixStream::pair()?;
        let (read, write) = pipe()?;
        let mut command = Command::new(absolute(program));
        command
            .args(&program.arguments)
            .env("RADDLE_CHANNEL", theirs.as_raw_fd().to_string())
            .stdin(Stdio::null())
            .stdout(write.try_clone()?)
            .stderr(write);
        if let Some(folder) = &program.libraries {
            command.env("LD_LIBRARY_PATH", folder);
        }
        let (first, ours_alone) = frame::FIND_FUNCTIONS_FIRST;
        if task.isolation == Isolation::Fork && std::env::var_os(first).is_none() {
            command.env(first, ours_alone);
        }
        let shared = task.part.map(|part| part.descriptor as RawFd);
        confine(&mut command, limits, theirs.as_raw_fd(), shared);
        let child = strays::started(|| command.spawn())?;
        // The command still holds the other end of the pipe.
        drop((command, theirs));
        let group = i32::try_from(child.id()).map_err(io::Error::other)?;
        let capture = Some(Capture::new(read, limits.output));
        // A program that dies before it reads its task is told of later, by what it says: nothing.
        let _ = frame::write(&mut ours, task);
        ours.set_nonblocking(true)?;
        let heard = Instant::now();
        let limits = *limits;
        Ok(Host {
            child,
            group,
            channel: ours,
            capture,
            limits,
            interrupted,
            heard,
            looked: heard,
            until,
            ended: None,
            memory: 0,
            gone: false,
            asked: None,
            paused: None,
        })
    }

    /// The next message, or why there is none.
    pub(crate) fn next(&mut self) -> Heard {
        let mut patient = Patient { host: self };
        match frame::read::<Message>(&mut patient) {
            Ok(Some(message)) => {
                self.heard = Instant::now();
                // A short search ends before anybody looks how much it uses.
                if self.memory == 0 {
                    self.memory = Usage::of_group(self.group).memory;
                }
                Heard::Message(Box::new(message))
            }
            Ok(None) => Heard::Closed,
            Err(error) => match (self.ended, error) {
                (Some(reason), _) => Heard::Ended(reason),
                // The end of a process can reset the channel.
                (None, ChannelError::Io(error)) if error.kind() == io::ErrorKind::ConnectionReset => {
                    Heard::Closed
                }
                (None, error) => Heard::Broken(error),
            },
        }
    }

    /// Ends the process and everything that it started.
    pub(crate) fn end(mut self) -> Gone {
        // One that has closed the channel is about to end by itself: how, is worth knowing.
        let patience = Instant::now() + Duration::from_millis(if self.ended.is_some() { 0 } else { 500 });
        let mut status = self.child.try_wait().ok().flatten();
        while status.is_none() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
            status = self.child.try_wait().ok().flatten();
        }
        self.kill();
        let status = status.or_else(|| self.child.wait().ok());
        strays::end();
        let output = self.capture.take().map(Capture::end).unwrap_or_default();
        Gone { status, output, memory: self.memory }
    }

    fn kill(&mut self) {
        if std::mem::replace(&mut self.gone, true) {
            return;
        }
        // SAFETY: the group is that of our child, which has not been waited for, or whose number belongs to the group as
        // long as one of its processes lives.
        unsafe { libc::killpg(self.group, libc::SIGKILL) };
    }

    /// Asks the process to stop by itself and to say where it was; true if it was asked long ago.
    fn is_not_stopping(&mut self) -> bool {
        match self.asked {
            Some(asked) => asked.elapsed() >= STOPPING,
            None => {
                self.asked = Some(Instant::now());
                // Who cannot be asked does not answer either, and is ended later.
                let _ = self.channel.write_all(&[frame::STOP]);
                false
            }
        }
    }

    /// Lets it wait, or go on, as the user wants. The time that it waits is none of its time.
    fn pause(&mut self) {
        match (interrupt::is_paused(), self.paused) {
            (true, None) => {
                self.paused = Some(Instant::now());
                let _ = self.channel.write_all(&[frame::PAUSE]);
            }
            (true, Some(_)) => self.heard = Instant::now(),
            (false, Some(since)) => {
                self.paused = None;
                self.heard = Instant::now();
                self.until = self.until.map(|until| until + since.elapsed());
                let _ = self.channel.write_all(&[frame::GO_ON]);
            }
            (false, None) => {}
        }
    }

    /// Whether it has to be ended, and why.
    fn verdict(&mut self) -> Option<Reason> {
        self.pause();
        if (self.interrupted)() && self.is_not_stopping() {
            return Some(Reason::Interrupted);
        }
        if self.paused.is_none() && self.until.is_some_and(|until| Instant::now() >= until) {
            return Some(Reason::Time);
        }
        // It may have spoken while nobody listened.
        if self.heard.elapsed() >= self.limits.silence && !has_spoken(&self.channel, Duration::ZERO) {
            return Some(Reason::Silent);
        }
        let usage = Usage::of_group(self.group);
        self.memory = self.memory.max(usage.memory);
        if usage.memory > self.limits.memory {
            return Some(Reason::Memory);
        }
        // The program itself and, with one process per run, the one that makes the run.
        (usage.processes > self.limits.processes + 2).then_some(Reason::Processes)
    }
}

impl Drop for Host<'_> {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
        strays::is_gone(self.child.id());
    }
}

/// The path as the system wants it: a name without a folder would be looked for elsewhere.
fn absolute(program: &Program) -> std::path::PathBuf {
    std::path::absolute(&program.path).unwrap_or_else(|_| program.path.clone())
}

/// Reads from the channel, and looks after the process while there is nothing to read.
struct Patient<'h, 'a> {
    host: &'h mut Host<'a>,
}

impl Read for Patient<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // However much it has to say.
            if self.host.looked.elapsed() >= LOOK {
                self.host.looked = Instant::now();
                if let Some(reason) = self.host.verdict() {
                    self.host.ended = Some(reason);
                    return Err(io::Error::other("ended"));
                }
            }
            match self.host.channel.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    has_spoken(&self.host.channel, LOOK);
                }
                done => return done,
            }
        }
    }
}

/// Waits until there is something to read, but no longer than this; whether there is.
fn has_spoken(channel: &UnixStream, patience: Duration) -> bool {
    let mut poll = libc::pollfd { fd: channel.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid entry.
    unsafe { libc::poll(&raw mut poll, 1, patience.as_millis() as libc::c_int) == 1 }
}
