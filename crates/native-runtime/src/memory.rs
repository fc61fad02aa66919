//! What happens at an access to memory: is it allowed, and does it race?

use raddle_trace::{Block, Ending, Failure, Kind, Operation, PlainAccess, RacingPair, ThreadId, Trouble};
use raddle_world::ObjectKind;

use crate::abi::{self, RawSite};
use crate::arena::Found;
use crate::control;
use crate::hooks;
use crate::objects::Use;
use crate::shadow::{Cell, GRANULE, Knowledge, Touch, state as valid};
use crate::state::{self, State};
use crate::touched::Sharing;
use crate::{rounds, variables};

/// Plain reads of a thread in a row, without a visible step, before it is taken to be waiting for somebody.
const QUIET_ACCESSES: u64 = 2_000_000;

/// For more bytes than this the block is looked up once instead of looking at each of them.
const LARGE: u64 = 256;

/// An access that is about to happen.
#[derive(Clone, Copy)]
pub(crate) struct Coming {
    pub at: usize,
    pub size: u64,
    pub writes: bool,
    pub atomic: bool,
    pub site: *const RawSite,
    pub shown: Shown,
}

/// Whether steps show an access to a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shown {
    /// They do not.
    No,
    /// They do, as far as the memory is known to be shared.
    Yes,
    /// They need not: no data passes by it.
    Aside,
}

/// What is wrong with an access to the heap.
struct Wrong {
    ending: Ending,
    block: Option<Block>,
    message: String,
}

/// Judges a plain access before it happens. Nothing is known of what it writes.
#[inline]
pub(crate) fn plain(coming: Coming) {
    judge(coming, None);
}

/// Judges a plain write before it happens. The value is known if it has at most eight bytes.
#[inline]
pub(crate) fn write(coming: Coming, value: u64) {
    judge(coming, (coming.size <= 8).then_some(value));
}

#[inline]
fn judge(coming: Coming, value: Option<u64>) {
    let quiet = state::with(|state| {
        state.last_site = coming.site;
        let wrong = look(state, &coming);
        if coming.writes && wrong.is_none() {
            rounds::takes_note(state, &coming, value);
        }
        let own = &mut state.threads[state.current.index()];
        // Who waits writes nothing.
        own.quiet = if coming.writes { 0 } else { own.quiet + 1 };
        (wrong, own.quiet >= QUIET_ACCESSES)
    });
    if let Some(wrong) = quiet.0 {
        end(*wrong, coming.site);
    }
    if quiet.1 {
        rest(coming.site);
    }
}

/// A thread that has done so much without a visible step may be waiting in a loop that reads plain memory.
#[cold]
fn rest(site: *const RawSite) {
    let place = state::with(|state| {
        state.own().quiet = 0;
        state.place(site)
    });
    raddle_runtime::with_run(|run| {
        run.cut_short.get_or_insert(place);
    });
    control::visit(Operation::new(Kind::Spin, raddle_trace::ObjectId::NONE, 0), place);
}

/// Judges an atomic access, whose event has just been recorded.
pub(crate) fn atomic(coming: Coming) {
    let wrong = state::with(|state| {
        state.last_site = coming.site;
        let wrong = look(state, &coming);
        if coming.writes && wrong.is_none() {
            rounds::writes_for_others(state, &coming);
        }
        wrong
    });
    if let Some(wrong) = wrong {
        end(*wrong, coming.site);
    }
}

/// Ends the run if the bytes at this address may not be touched at this site.
#[inline]
pub(crate) fn must_be_valid(at: usize, size: u64, writes: bool, site: impl FnOnce() -> *const RawSite) {
    if state::with(|state| state.arena.contains(at) || state.gone.any) {
        let site = site();
        let coming = Coming { at, size, writes, atomic: true, site, shown: Shown::Aside };
        let wrong = state::with(|state| {
            if state.arena.contains(at) { check_heap(state, &coming) } else { check_stack(state, &coming) }
        });
        if let Some(wrong) = wrong {
            end(*wrong, site);
        }
    }
}

#[inline]
fn look(state: &mut State, coming: &Coming) -> Option<Box<Wrong>> {
    if state.arena.contains(coming.at)
        && let Some(wrong) = check_heap(state, coming)
    {
        return Some(wrong);
    }
    if let Some(wrong) = check_stack(state, coming) {
        return Some(wrong);
    }
    // Before the first thread is created nothing can race, and everything happens before what that thread does.
    if state.alone {
        return None;
    }
    if state.plain_is_visible() || state.modules.is_thread_local(coming.at) {
        let end = coming.at + coming.size as usize;
        for granule in (coming.at & !(GRANULE - 1)..end).step_by(GRANULE).filter(|_| coming.atomic) {
            state.shadow.cell(granule).atomic = true;
        }
    } else if let Some(race) = record(state, coming) {
        raced(state, &race);
    }
    None
}

/// Whether the access touches a local variable whose function has returned.
#[inline]
fn check_stack(state: &mut State, coming: &Coming) -> Option<Box<Wrong>> {
    let message = variables::judge(state, coming)?;
    Some(Box::new(Wrong { ending: Ending::Failed(Failure::UseAfterFree), block: None, message }))
}

/// An access of another thread to these bytes that nothing orders with what happens to them now: who made it, and where.
pub(crate) fn touched_unordered(
    start: usize,
    size: usize,
    site: *const RawSite,
) -> Option<(ThreadId, *const RawSite)> {
    state::with(|state| race_with_end(state, start, size, site, |_| {}))
        .map(|race| (race.first.thread, race.first.site))
}

/// Whether every byte lies in a block that has not been freed.
#[inline]
fn check_heap(state: &mut State, coming: &Coming) -> Option<Box<Wrong>> {
    let end = coming.at + coming.size as usize;
    let mut address = coming.at;
    if coming.size > LARGE
        && let Found::In(block) = state.arena.find(address)
        && block.freed.is_none()
        && end <= block.start + block.size
    {
        return None;
    }
    while address < end {
        let granule = address & !(GRANULE - 1);
        let needed = (end - granule).min(GRANULE) as u8;
        let known = state.shadow.cell(granule).state;
        let known = if known == valid::UNKNOWN { look_up(state, granule) } else { known };
        if known > valid::ALL || known < needed {
            return Some(Box::new(wrong(state, coming, address)));
        }
        address = granule + GRANULE;
    }
    None
}

#[cold]
fn look_up(state: &mut State, granule: usize) -> u8 {
    let known = match state.arena.find(granule) {
        Found::In(block) if block.freed.is_some() => valid::FREED,
        Found::In(block) => (block.start + block.size - granule).min(GRANULE) as u8,
        _ => 0,
    };
    state.shadow.cell(granule).state = known;
    known
}

#[cold]
fn wrong(state: &mut State, coming: &Coming, address: usize) -> Wrong {
    let does = if coming.writes { "writes" } else { "reads" };
    let bytes = coming.size;
    let found = state.arena.find(address);
    let (failure, block, message) = match found {
        Found::In(block) if block.freed.is_some() => {
            let message = format!("{does} {bytes} bytes of a block of {} that was freed", block.size);
            (Failure::UseAfterFree, Some(block), message)
        }
        Found::In(block) | Found::Beside(block) => {
            // An access may begin in the block and reach beyond it.
            let at = coming.at as i64 - block.start as i64;
            let message = format!("{does} {bytes} bytes at offset {at} of a block of {}", block.size);
            let freed = if block.freed.is_some() { Failure::UseAfterFree } else { Failure::OutOfBounds };
            (freed, Some(block), message)
        }
        Found::Nowhere => {
            (Failure::OutOfBounds, None, format!("{does} {bytes} bytes that were never allocated"))
        }
    };
    let block = block.map(|block| tell(state, &block, coming));
    Wrong { ending: Ending::Failed(failure), block, message }
}

fn tell(state: &mut State, block: &crate::arena::Given, coming: &Coming) -> Block {
    let allocated = state.place(block.allocated.site);
    let freed = block.freed.map(|mark| state.place(mark.site)).unwrap_or_default();
    let first = block.allocated.site;
    block.told(coming.at, coming.size, coming.writes, |site| if site == first { allocated } else { freed })
}

#[cold]
fn end(wrong: Wrong, site: *const RawSite) -> ! {
    let (thread, place) = state::with(|state| (state.current, state.place(site)));
    let trouble = Trouble { thread, message: wrong.message, place, block: wrong.block };
    raddle_runtime::end_run(wrong.ending, Some(trouble))
}

/// Ends the run because a block was freed that cannot be.
#[cold]
pub(crate) fn cannot_free(address: usize, site: *const RawSite) -> ! {
    let wrong = state::with(|state| {
        let coming = Coming { at: address, size: 0, writes: true, atomic: true, site, shown: Shown::Aside };
        match state.arena.find(address) {
            Found::In(block) if block.freed.is_some() && block.start == address => Wrong {
                ending: Ending::Failed(Failure::DoubleFree),
                message: format!("frees a block of {} bytes for the second time", block.size),
                block: Some(tell(state, &block, &coming)),
            },
            Found::In(block) | Found::Beside(block) => Wrong {
                ending: Ending::Misuse,
                message: format!(
                    "frees an address {} bytes from the start of a block",
                    address as i64 - block.start as i64
                ),
                block: Some(tell(state, &block, &coming)),
            },
            Found::Nowhere => Wrong {
                ending: Ending::Misuse,
                message: "frees an address that was never allocated".to_owned(),
                block: None,
            },
        }
    });
    end(wrong, site)
}

/// Two accesses that nothing orders.
struct Race {
    first: Touch,
    second: Touch,
    granule: usize,
}

/// Compares an access with the earlier ones.
#[inline]
fn record(state: &mut State, coming: &Coming) -> Option<Race> {
    let thread = state.current;
    let time = state.clocks.time(thread) + u32::from(!coming.atomic);
    let end = coming.at + coming.size as usize;
    let mut granule = coming.at & !(GRANULE - 1);
    let mut sharing = Sharing::No;
    let mut race = None;
    while granule < end && race.is_none() {
        let low = coming.at.max(granule) - granule;
        let high = end.min(granule + GRANULE) - granule;
        let mask = ((1_u16 << high) - (1_u16 << low)) as u8;
        let touch = Touch {
            site: coming.site,
            time,
            events: state.followed as u32,
            thread,
            mask,
            writes: coming.writes,
            atomic: coming.atomic,
        };
        let noted = coming.atomic && state.shadow.note_atomic(granule, &touch);
        let first = match noted {
            true => None,
            false => state.shadow.touch(granule, &Knowledge::new(&state.clocks, touch)),
        };
        race = first.map(|first| Race { first, second: touch, granule });
        if state.shows_plain
            && coming.shown != Shown::Aside
            && let Some(everybody) = &mut state.touched_in_any_run
        {
            sharing = sharing.max(everybody.note(granule, &touch));
        }
        granule += GRANULE;
    }
    note_sharing(sharing, coming.shown);
    race
}

/// Takes note of what a model has to know of an access.
#[inline]
fn note_sharing(sharing: Sharing, shown: Shown) {
    match sharing {
        Sharing::No => {}
        Sharing::Shown if shown == Shown::Yes => {}
        Sharing::Later => raddle_runtime::note_more_next(),
        Sharing::Shown | Sharing::Mixed => raddle_runtime::note_unseen_access(),
    }
}

/// Takes note of the first race of the run; the run goes on.
#[cold]
fn raced(state: &mut State, race: &Race) {
    let &Race { first, second, granule } = race;
    let address = granule + (first.mask & second.mask).trailing_zeros() as usize;
    let access = |state: &mut State, touch: Touch| PlainAccess {
        thread: touch.thread,
        events: touch.events,
        writes: touch.writes,
        place: state.place(touch.site),
    };
    let (first, second) = (access(state, first), access(state, second));
    if raddle_runtime::with_run(|run| run.race.is_some()) {
        return;
    }
    let kept = state.objects.kept(address, Use::Plain);
    let object = match kept {
        Some(kept) => {
            raddle_runtime::register_as(kept, ObjectKind::Plain, first.place);
            kept
        }
        None => raddle_runtime::register(ObjectKind::Plain, first.place),
    };
    state.objects.keep(address, Use::Plain, object);
    state.objects.note(address, object);
    raddle_runtime::with_run(|run| run.race = Some(RacingPair { object, first, second }));
}

/// Takes note of an access, and tells who made one that it is not ordered with, and where.
pub(crate) fn unordered(coming: &Coming) -> Option<(ThreadId, *const RawSite)> {
    state::with(|state| {
        if state.alone || state.plain_is_visible() {
            return None;
        }
        record(state, coming).map(|race| (race.first.thread, race.first.site))
    })
}

/// Memory is about to come to its end, as a block or otherwise: where a model has to know of something in it, that is a step.
pub(crate) fn show_free(start: usize, size: usize, is_block: bool) {
    if !state::with(|state| state.shows_plain && !state.alone) {
        return;
    }
    // A block of no bytes can be freed twice, too.
    let end = start + size.max(1);
    let mut sharing = Sharing::No;
    for granule in (start & !(GRANULE - 1)..end).step_by(GRANULE) {
        let at = start.max(granule);
        // SAFETY: the memory is there, and nobody takes it away while the run goes on.
        unsafe { hooks::show_pieces(granule, at, end, hooks::Does::Frees, abi::caller()) };
        sharing = sharing.max(state::with(|state| {
            let thread = state.current;
            state
                .touched_in_any_run
                .as_mut()
                .map_or(Sharing::No, |all| all.note_free(granule, thread, is_block && granule == start))
        }));
    }
    note_sharing(sharing, Shown::Yes);
}

/// A block is freed: from now on nobody may touch it. A plain access that nothing orders with that could as well have come
/// later, so it is a use after free. With atomic accesses the order is part of the search.
pub(crate) fn freed(start: usize, size: usize, site: *const RawSite) {
    let race = state::with(|state| race_with_end(state, start, size, site, |cell| cell.state = valid::FREED));
    if let Some(race) = race {
        freed_too_early(start, &race);
    }
}

/// The first access to memory that comes to its end which nothing orders with that; each granule that is known is changed.
fn race_with_end(
    state: &mut State,
    start: usize,
    size: usize,
    site: *const RawSite,
    change: impl Fn(&mut Cell),
) -> Option<Race> {
    let (end, mut race) = (start + size, None);
    for granule in (start & !(GRANULE - 1)..end).step_by(GRANULE) {
        let Some(cell) = state.shadow.known_cell(granule) else { continue };
        change(cell);
        let touched = cell.is_touched();
        if touched && race.is_none() && !state.alone && !state.plain_is_visible() {
            let (low, high) = (start.max(granule), end.min(granule + GRANULE));
            let (size, shown) = ((high - low) as u64, Shown::Aside);
            let coming = Coming { at: low, size, writes: true, atomic: true, site, shown };
            race = record(state, &coming);
        }
    }
    race
}

#[cold]
fn freed_too_early(start: usize, race: &Race) -> ! {
    let trouble = state::with(|state| {
        let Race { first, granule, .. } = *race;
        let at = granule + first.mask.trailing_zeros() as usize;
        let size = u64::from(first.mask.count_ones());
        let coming =
            Coming { at, size, writes: first.writes, atomic: false, site: first.site, shown: Shown::Aside };
        let block = state.arena.block_at(start).map(|block| *block);
        let does = if first.writes { "writes" } else { "reads" };
        let total = block.map_or(0, |block| block.size);
        Trouble {
            thread: first.thread,
            message: format!(
                "{does} {size} bytes of a block of {total} that another thread frees at any moment"
            ),
            place: state.place(first.site),
            block: block.map(|block| tell(state, &block, &coming)),
        }
    });
    raddle_runtime::end_run(Ending::Failed(Failure::UseAfterFree), Some(trouble))
}

/// Memory of the C library's heap changes hands: what was done there before is no race.
pub(crate) fn forget(start: usize, size: usize) {
    state::with(|state| {
        for granule in (start & !(GRANULE - 1)..start + size).step_by(GRANULE) {
            if let Some(cell) = state.shadow.known_cell(granule) {
                cell.clear();
            }
        }
    });
}

/// The current thread, and how many events there are.
pub(crate) fn now() -> (ThreadId, u32) {
    state::with(|state| (state.current, state.followed as u32))
}
