//! How a model and its unfolding travel. What refers to something that is not there is refused here, so that nobody who
//! gets a model has to ask again.

use raddle_explore::model::{
    Author, Beyond, LabelledNet, LabelledPlace, LabelledTransition, ModelNet, ModelPlace, ModelUnfolding,
};
use raddle_nets::{
    Companion, ConditionId, EventId, PlaceId, Status, TransitionId, Unfolded, UnfoldedCondition,
    UnfoldedEvent,
};

use crate::wire::{Input, Output, Wire, WireError, fields, variants};

macro_rules! ids {
    ($($type:ident),*) => {$(
        impl Wire for $type {
            fn put(&self, out: &mut Output) {
                self.0.put(out);
            }

            fn take(input: &mut Input<'_>) -> Result<$type, WireError> {
                Ok($type(u32::take(input)?))
            }
        }
    )*};
}

ids!(PlaceId, TransitionId, ConditionId, EventId);
variants!(Companion as "a companion" { 0 => Initial, 1 => Event(event) });
variants!(Status as "what became of an event" { 0 => Open, 1 => Extended, 2 => CutOff(companion) });
fields!(UnfoldedCondition { place, producer });
fields!(UnfoldedEvent { transition, preset, status });

variants!(Beyond as "why there is no model" {
    0 => Operation(kind), 1 => Plain, 2 => Objects, 3 => Unstable, 4 => Hidden, 5 => Size, 6 => Unordered,
});
fields!(Author { thread, step });
variants!(ModelPlace as "what a place stands for" {
    0 => Thread { thread, steps, read, asleep, ended },
    1 => Object { object, copy, cell, number, by, waiting, messages },
});
fields!(LabelledPlace { stands_for, is_marked });
fields!(LabelledTransition { thread, kind, outcome, object, other, value, before, after });

/// Whether a number is below a length; where it is not, that is nonsense.
fn known(number: u32, length: usize, what: &'static str) -> Result<(), WireError> {
    if (number as usize) < length {
        Ok(())
    } else {
        Err(WireError::Nonsense { what, found: u64::from(number) })
    }
}

impl Wire for LabelledNet {
    fn put(&self, out: &mut Output) {
        self.places.put(out);
        self.transitions.put(out);
        self.left_out.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<LabelledNet, WireError> {
        let (places, transitions, left_out) =
            <(Vec<LabelledPlace>, Vec<LabelledTransition>, u64)>::take(input)?;
        for place in transitions.iter().flat_map(|known| known.before.iter().chain(&known.after)) {
            known(*place, places.len(), "a place of a model")?;
        }
        Ok(LabelledNet { places, transitions, left_out })
    }
}

impl Wire for ModelUnfolding {
    fn put(&self, out: &mut Output) {
        self.net.put(out);
        self.prefix.conditions.put(out);
        self.prefix.events.put(out);
        self.left_out.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<ModelUnfolding, WireError> {
        let net = LabelledNet::take(input)?;
        let (conditions, events, left_out) =
            <(Vec<UnfoldedCondition>, Vec<UnfoldedEvent>, u64)>::take(input)?;
        for condition in &conditions {
            known(condition.place.0, net.places.len(), "the place of a condition")?;
            if let Some(producer) = condition.producer {
                known(producer.0, events.len(), "the producer of a condition")?;
            }
        }
        for event in &events {
            known(event.transition.0, net.transitions.len(), "the transition of an event")?;
            for condition in &event.preset {
                known(condition.0, conditions.len(), "a condition of an event")?;
            }
            if let Status::CutOff(Some(Companion::Event(companion))) = event.status {
                known(companion.0, events.len(), "the companion of an event")?;
            }
        }
        Ok(ModelUnfolding { net, prefix: Unfolded { conditions, events }, left_out })
    }
}

impl Wire for ModelNet {
    fn put(&self, out: &mut Output) {
        self.threads.put(out);
        self.bodies.put(out);
        self.objects.put(out);
        self.net.put(out);
        self.unfolding.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<ModelNet, WireError> {
        let model = ModelNet {
            threads: Wire::take(input)?,
            bodies: Wire::take(input)?,
            objects: Wire::take(input)?,
            net: Wire::take(input)?,
            unfolding: Wire::take(input)?,
        };
        let nets = [Some(&model.net), model.unfolding.as_ref().map(|unfolding| &unfolding.net)];
        for net in nets.into_iter().flatten() {
            for place in &net.places {
                if let ModelPlace::Object { object, .. } = place.stands_for {
                    known(object, model.objects.len(), "an object of a model")?;
                }
            }
            for object in net.transitions.iter().filter_map(|transition| transition.object) {
                known(object, model.objects.len(), "an object of a model")?;
            }
        }
        Ok(model)
    }
}
