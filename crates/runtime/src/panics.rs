//! Panics of the program's threads: caught, kept, and not printed.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, Location, PanicHookInfo};
use std::sync::Once;

use raddle_trace::Place;

use crate::visit::{in_run, moment};

/// Thrown through a fiber to unwind it when its run is over.
pub(crate) struct RunIsOver;

/// The text and the place of a panic, and how many events there were before it.
#[derive(Clone, Debug)]
pub(crate) struct PanicNote {
    pub message: String,
    pub place: Place,
    pub after: Option<u32>,
}

thread_local! {
    static LAST: RefCell<Option<PanicNote>> = const { RefCell::new(None) };
}

/// Keeps the text of panics inside a run, and leaves all others to the hook that was there before.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if !in_run() {
                return before(info);
            }
            let note = PanicNote {
                message: message_of(info.payload()),
                place: place_of(info.location()),
                after: moment().map(|moment| moment.events as u32),
            };
            LAST.with(|last| *last.borrow_mut() = Some(note));
        }));
    });
}

/// The note of the last panic on this OS thread.
pub(crate) fn take_note(payload: &(dyn Any + Send)) -> PanicNote {
    LAST.with(|last| last.borrow_mut().take()).unwrap_or_else(|| PanicNote {
        message: message_of(payload),
        place: Place::Unknown,
        after: None,
    })
}

/// Takes the note off this OS thread while another thread of the run goes on, which may panic as well.
pub(crate) fn set_note_aside() -> Option<PanicNote> {
    LAST.with(|last| last.borrow_mut().take())
}

/// The thread whose note it is goes on.
pub(crate) fn put_note_back(note: Option<PanicNote>) {
    LAST.with(|last| *last.borrow_mut() = note);
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a text".to_owned())
}

fn place_of(location: Option<&Location<'_>>) -> Place {
    location.map_or(Place::Unknown, |location| {
        // SAFETY: the locations that the compiler makes for panics are statics; the hook's lifetime is only shorter
        // because the interface leaves room for others, of which there are none in the standard library.
        Place::Rust(unsafe { std::mem::transmute::<&Location<'_>, &'static Location<'static>>(location) })
    })
}
