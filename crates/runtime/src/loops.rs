//! What threads say, and what is seen of them, when they may be going round a loop that only waits.

use raddle_trace::{Kind, ObjectId, Operation, Place};
use raddle_world::{Awaits, Hint, Trust};

use crate::own::Frame;
use crate::stage::Stage;
use crate::visit::{visit, with_stage};

/// The thread has been reading the same for a long time without saying that it spins: it waits first, if it has changed nothing of
/// its own.
#[cold]
#[inline(never)]
pub(crate) fn rest_after_quiet_loop(place: Place) {
    let frame = Frame::here();
    let hint = with_stage(|stage| {
        let own = stage.own_behind_ours(place, &frame);
        stage.world.quiet_round(stage.current, place.address(), own)
    });
    obey(hint, place);
}

/// The caller has nothing to do until something changes. If it is not known to do the same in every round of a loop, `own` is
/// looked at for what it keeps to itself.
pub fn spin_hint(own: Option<&Frame>, place: Place) {
    let hint = with_stage(|stage| {
        if stage.over {
            return Hint::Wait(0, Trust::Known);
        }
        stage.pass_a_moment();
        let own = own.map(|frame| stage.own_at(place, frame));
        stage.world.hint(stage.current, own)
    });
    obey(hint, place);
}

/// If the caller is to wait in a loop, it does so until something of what it has seen changes, or, if the loop goes by the clock, until its time has run
/// out: whichever comes first is a choice, because nobody knows how fast the others are.
fn obey(hint: Hint, place: Place) {
    let Hint::Wait(mask, trust) = hint else { return };
    let awaits = with_stage(|stage| {
        if stage.over {
            return Some(Awaits::Change);
        }
        if !stage.may_wait_at(place, trust) {
            return None;
        }
        match trust {
            Trust::Known => {}
            Trust::Assumed => {
                stage.run.assumed_waiting.get_or_insert(place);
            }
            Trust::Cut => {
                stage.run.cut_short.get_or_insert(place);
            }
        }
        Some(stage.world.awaits(stage.current))
    });
    let Some(awaits) = awaits else { return };
    let time_runs_out = match awaits {
        Awaits::Change => false,
        Awaits::Time => true,
        Awaits::ChangeOrTime => visit(Operation::time_choice(), place).alternative == 1,
    };
    if time_runs_out {
        with_stage(|stage| stage.let_time_run_out(stage.current));
    } else {
        visit(Operation::new(Kind::Spin, ObjectId::NONE, mask), place);
    }
}

/// Takes note that the caller may have changed what a lock guards that it has.
pub fn touch() {
    with_stage(|stage| stage.world.touches(stage.current));
}

/// Takes note that the caller looks at the clock: a loop that does so may be waiting for a moment.
pub fn look_at_clock() {
    with_stage(|stage| stage.world.look_at_clock(stage.current));
}

/// Whether a thread that goes round a loop may be waiting, so that [`round`] has to be called; `mark` stands for a part of what it
/// keeps to itself.
#[inline]
#[must_use]
pub fn may_wait(which: u64, mark: u64) -> bool {
    with_stage(|stage| !stage.over && stage.world.may_wait(stage.current, which, mark))
}

/// The caller comes to a loop from outside.
#[inline]
pub fn begin_loop(which: u64) {
    with_stage(|stage| stage.world.begin_loop(stage.current, which));
}

/// The caller goes round a loop; `own` stands for everything that it keeps to itself.
pub fn round(place: Place, which: u64, own: u64) {
    let hint = with_stage(|stage| match stage.over {
        true => Hint::GoOn,
        false => stage.world.round(stage.current, which, own),
    });
    obey(hint, place);
}

/// Lets a little time pass for a thread that waits and does not say for how long, so that a loop that looks at the clock ends.
pub fn pass_a_moment() {
    with_stage(Stage::pass_a_moment);
}

/// The caller gives way or sleeps: it goes on, but not for ever before anybody else does.
pub fn idle() {
    with_stage(|stage| stage.world.idles(stage.current));
}

/// Says that what the current thread read so far was not part of the loop that it is about to enter.
pub fn start_new_loop() {
    with_stage(|stage| stage.world.start_new_loop(stage.current));
}
