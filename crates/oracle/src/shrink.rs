//! Makes a failing program small.
//!
//! Greedy: any cut that leaves a program that makes sense and still fails is kept, until no cut does.

use raddle_trace::{ObjectId, ThreadId};

use crate::generate::count_senders;
use crate::{Program, Stmt};

/// The smallest program found that still fails. `program` itself is assumed to.
pub fn shrink(program: &Program, still_fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    while let Some(smaller) = candidates(&best).into_iter().find(|candidate| still_fails(candidate)) {
        best = smaller;
    }
    best
}

/// All programs that are one cut smaller and make sense, big cuts first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut candidates: Vec<Program> =
        (1..program.threads.len()).map(|thread| without_thread(program, ThreadId::new(thread))).collect();
    for thread in 0..program.threads.len() {
        let places = count(&program.threads[thread]);
        // Pairs, because a lock and its unlock, or a try and its branch, only go together.
        for first in 0..places {
            candidates.push(edit(program, thread, &[(first, Cut::Remove)]));
            candidates.push(edit(program, thread, &[(first, Cut::Unwrap(0))]));
            candidates.push(edit(program, thread, &[(first, Cut::Unwrap(1))]));
            let pairs = (first + 1..places).map(|second| [(second, Cut::Remove), (first, Cut::Remove)]);
            candidates.extend(pairs.map(|pair| edit(program, thread, &pair)));
        }
    }
    candidates.extend((0..program.objects.len()).filter_map(|index| without_object(program, index)));
    candidates.iter_mut().for_each(count_senders);
    candidates.retain(|candidate| size(candidate) < size(program) && candidate.check().is_ok());
    candidates
}

/// What shrinking makes smaller; every cut must, or it would never end.
fn size(program: &Program) -> usize {
    program.len() + program.threads.len() + program.objects.len()
}

/// What to do with a statement.
#[derive(Clone, Copy)]
enum Cut {
    Remove,
    /// Put its n-th block in its place.
    Unwrap(usize),
}

fn count(block: &[Stmt]) -> usize {
    block
        .iter()
        .map(|statement| 1 + statement.blocks().into_iter().map(|inner| count(inner)).sum::<usize>())
        .sum()
}

/// Applies cuts, given in descending order of place: statements are numbered outer before inner, first before last.
fn edit(program: &Program, thread: usize, cuts: &[(usize, Cut)]) -> Program {
    let mut program = program.clone();
    for (place, cut) in cuts {
        edit_block(&mut program.threads[thread], *place, *cut);
    }
    program
}

fn edit_block(block: &mut Vec<Stmt>, mut place: usize, cut: Cut) {
    for index in 0..block.len() {
        if place == 0 {
            let statement = block.remove(index);
            if let Cut::Unwrap(number) = cut {
                let inner = statement.blocks().get(number).map(|inner| inner.to_vec()).unwrap_or_default();
                block.splice(index..index, inner);
            }
            return;
        }
        place -= 1;
        for inner in block[index].blocks_mut() {
            let inside = count(inner);
            if place < inside {
                return edit_block(inner, place, cut);
            }
            place -= inside;
        }
    }
}

/// Takes a thread out, with all that mentions it; its children go to nobody, so it must have none to be of use.
fn without_thread(program: &Program, gone: ThreadId) -> Program {
    let mut program = program.clone();
    program.threads.remove(gone.index());
    let renumber = |thread: &mut ThreadId| {
        if *thread > gone {
            *thread = ThreadId::new(thread.index() - 1);
        }
    };
    for block in &mut program.threads {
        retain(block, &mut |statement| match statement.thread_mut() {
            Some(thread) if *thread == gone => false,
            Some(thread) => {
                renumber(thread);
                true
            }
            None => true,
        });
    }
    program
}

/// Takes an object out that nothing mentions.
fn without_object(program: &Program, gone: usize) -> Option<Program> {
    let mut used = false;
    program.visit(&mut |_, statement| {
        used |= statement.objects().iter().any(|(_, object)| object.index() == gone);
    });
    if used {
        return None;
    }
    let mut program = program.clone();
    program.objects.remove(gone);
    for block in &mut program.threads {
        retain(block, &mut |statement| {
            for (_, object) in statement.objects_mut() {
                if object.index() > gone {
                    *object = ObjectId::new(object.index() - 1);
                }
            }
            true
        });
    }
    Some(program)
}

/// Keeps the statements for which `keep` says so, in all blocks.
fn retain(block: &mut Vec<Stmt>, keep: &mut dyn FnMut(&mut Stmt) -> bool) {
    block.retain_mut(|statement| keep(statement));
    for statement in block {
        statement.blocks_mut().into_iter().for_each(|inner| retain(inner, keep));
    }
}
