//! How the words of the other crates travel.

use raddle_coverage::{Growth, HapSets};
use raddle_detect::{Access, Block, Detail, Finding, FindingKind, Spot, Waiter};
use raddle_explore::{
    Covered, Doubt, Estimate, Explored, Fate, Guarantee, KeptRun, Limit, ModelSize, Prefix, Reached, Saved,
};
use raddle_trace::schedule::ThreadName;
use raddle_trace::{
    Accesses, Blocked, Call, Calls, Ending, Event, Failure, Held, Hidden, Kind, ObjectId, ObjectNote,
    Operation, Order, Outcome, Pending, PlainAccess, RacingPair, Run, Step, ThreadId, Trouble, Whereabouts,
};

use crate::sites;
use crate::wire::{Input, Output, Wire, WireError, fields, variants};

impl Wire for ThreadId {
    fn put(&self, out: &mut Output) {
        out.number(self.index() as u64);
    }

    fn take(input: &mut Input<'_>) -> Result<ThreadId, WireError> {
        match input.number()? {
            number if number < raddle_trace::limits::MAX_THREADS as u64 => Ok(ThreadId::new(number as usize)),
            found => Err(WireError::Nonsense { what: "a thread", found }),
        }
    }
}

impl Wire for ObjectId {
    fn put(&self, out: &mut Output) {
        out.number(if *self == ObjectId::NONE { 0 } else { self.index() as u64 + 1 });
    }

    fn take(input: &mut Input<'_>) -> Result<ObjectId, WireError> {
        match input.number()? {
            0 => Ok(ObjectId::NONE),
            number if number < u64::from(u32::MAX) => Ok(ObjectId::new(number as usize - 1)),
            found => Err(WireError::Nonsense { what: "an object", found }),
        }
    }
}

/// An enum of which a list is the numbering.
macro_rules! listed {
    ($type:ident as $what:literal) => {
        impl Wire for $type {
            fn put(&self, out: &mut Output) {
                out.number(*self as u64);
            }

            fn take(input: &mut Input<'_>) -> Result<$type, WireError> {
                let found = input.number()?;
                let known = usize::try_from(found).ok().and_then(|number| $type::ALL.get(number));
                known.copied().ok_or(WireError::Nonsense { what: $what, found })
            }
        }
    };
}

listed!(Kind as "a kind of operation");
listed!(Outcome as "an outcome");
listed!(Order as "a memory order");

impl Wire for FindingKind {
    fn put(&self, out: &mut Output) {
        out.text(self.word());
    }

    fn take(input: &mut Input<'_>) -> Result<FindingKind, WireError> {
        let word = String::take(input)?;
        FindingKind::from_word(&word).ok_or(WireError::Nonsense { what: "a kind of finding", found: 0 })
    }
}

impl Wire for ThreadName {
    fn put(&self, out: &mut Output) {
        self.0.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<ThreadName, WireError> {
        Ok(ThreadName(Vec::take(input)?))
    }
}

impl Wire for Pending {
    fn put(&self, out: &mut Output) {
        self.operation.put(out);
        self.outcome.put(out);
        self.alternatives.put(out);
        self.place.put(out);
        self.cause.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<Pending, WireError> {
        let (operation, outcome) = (Operation::take(input)?, <Option<Outcome> as Wire>::take(input)?);
        if operation.kind.is_wait() && operation.operand >= u64::from(u32::MAX) {
            return Err(WireError::Nonsense { what: "the mutex of a wait", found: operation.operand });
        }
        Ok(Pending {
            operation,
            outcome,
            accesses: Accesses::of(&operation, outcome.unwrap_or_default()),
            alternatives: u32::take(input)?,
            place: Wire::take(input)?,
            cause: Wire::take(input)?,
        })
    }
}

impl Wire for ObjectNote {
    fn put(&self, out: &mut Output) {
        out.text(self.kind);
        self.name.map(str::to_owned).put(out);
        self.place.put(out);
        self.lies.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<ObjectNote, WireError> {
        Ok(ObjectNote {
            kind: sites::text(&String::take(input)?),
            name: <Option<String> as Wire>::take(input)?.map(|name| sites::text(&name)),
            place: Wire::take(input)?,
            lies: Wire::take(input)?,
        })
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, out: &mut Output) {
        (**self).put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<Box<T>, WireError> {
        Ok(Box::new(T::take(input)?))
    }
}

variants!(Step as "a step" { 0 => Thread(thread), 1 => Alternative(alternative) });
variants!(Failure as "a failure" {
    0 => Assertion, 1 => Crash, 2 => UseAfterFree, 3 => DoubleFree, 4 => OutOfBounds, 5 => Leak, 6 => Stuck,
});
variants!(Hidden as "something hidden" { 0 => Ends, 1 => Counts, 2 => LastDrops, 3 => Rounds(place), 4 => Queues });
variants!(Ending as "an ending" {
    0 => Finished, 1 => Deadlock, 2 => Livelock, 3 => Panic, 4 => StackOverflow, 5 => Misuse, 6 => Failed(failure),
    7 => Assumed, 8 => StepLimit, 9 => TooManyThreads, 10 => Blocked, 11 => Elsewhere, 12 => NeedsVisible(hidden),
    13 => Diverged, 14 => Outside,
});
variants!(Whereabouts as "where an object lies" {
    0 => Unknown,
    1 => Global { module, offset },
    2 => Heap { by, number, offset, allocated },
    3 => Stack { thread, offset },
});
fields!(Operation { kind, order, order_on_failure, object, operand, carries });
fields!(Event {
    thread,
    operation,
    outcome,
    alternative,
    alternatives,
    before,
    value,
    cause,
    decided,
    preempts,
    place,
});
fields!(Blocked { thread, pending, by });
fields!(Held { object, by, since });
fields!(Spot { thread, events_before, place, stack });
fields!(Block { size, offset, touched, writes, allocated, freed });
fields!(PlainAccess { thread, events, writes, place });
fields!(RacingPair { object, first, second });
fields!(Trouble { thread, message, place, block });
fields!(Run {
    events,
    ending,
    blocked,
    held,
    objects,
    thread_names,
    bodies,
    trouble,
    trouble_after,
    race,
    threads,
    weaker_orders,
    assumed_waiting,
    cut_short,
    unseen_access,
    kept,
    shows_more_next,
    has_plain_steps,
    calls,
});
fields!(Call { place, within });
fields!(Calls { made, of_events });
fields!(Access { thread, event, writes, place, holding });
fields!(Waiter { thread, kind, object, place, by, holds });
fields!(Finding { kind, message, thread, place, detail });
variants!(Detail as "the facts of a finding" {
    0 => None,
    1 => Deadlock { waiters, cycle },
    2 => Race { object, first, second },
    3 => Memory(block),
});
fields!(ModelSize { places, transitions, events, conditions, terminals, markings });
fields!(Estimate { done, total_runs, uncertainty });
variants!(Guarantee as "a guarantee" { 0 => All, 1 => Within(bound), 2 => Sample });
variants!(Limit as "a limit" {
    0 => Runs(runs),
    1 => Time(time),
    2 => Steps(steps),
    3 => Threads(threads),
    4 => Interrupted(runs),
    5 => Rounds,
    6 => RunTime(time),
});
variants!(Doubt as "a doubt" {
    0 => NotDeterministic { event, before, now, place },
    1 => Uncontrolled { name, place },
    2 => Lost { how },
});
fields!(Reached {
    runs,
    blocked,
    steps,
    longest,
    threads,
    limit,
    doubt,
    finished,
    needs_visible,
    weaker_orders,
    assumed_waiting,
    cut_short,
    too_long,
    guarantee,
    estimate,
    model,
    beyond,
    net,
    beside,
    traces,
    covered,
    explored,
    saved,
});
fields!(Saved { state, steps, events, digest });
fields!(Explored { prefixes, kept, levels, left_out });
fields!(Prefix { parent, thread, kind, alternative, place, fate, runs, event, kept });
fields!(KeptRun { number, found, run, left_out });
variants!(Fate as "the fate of a prefix" {
    0 => Explored,
    1 => Found,
    2 => Asleep,
    3 => BeyondBound,
    4 => Equivalent,
    5 => Covered,
    6 => NotDrawn,
    7 => Waiting,
});

impl Wire for Covered {
    fn put(&self, out: &mut Output) {
        self.sets.to_text().put(out);
        self.growth.runs().put(out);
        let (after, pairs): (Vec<u64>, Vec<u64>) = self.growth.points().iter().copied().unzip();
        after.put(out);
        pairs.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<Covered, WireError> {
        let text = String::take(input)?;
        let sets = HapSets::from_bytes(text.as_bytes())
            .map_err(|_| WireError::Nonsense { what: "a set of HaPSets", found: text.len() as u64 })?;
        let runs = u64::take(input)?;
        let (after, pairs) = (Vec::<u64>::take(input)?, Vec::<u64>::take(input)?);
        Ok(Covered { sets, growth: Growth::from_parts(runs, after.into_iter().zip(pairs).collect()) })
    }
}
