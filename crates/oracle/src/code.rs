//! Statements as a flat list of instructions with jumps, so that the place of a thread in its program is one number
//! and a state is cheap to copy.
//!
//! A statement that takes more than one visible step becomes several instructions: a wait is left by a relock, an
//! arrival by a pass, an initialisation by its exit; who meets at a channel without room says first that it is there, or
//! waits afterwards.

use raddle_trace::{ObjectId, ThreadId};

use crate::{Program, Register, Stmt};

/// One instruction. Those that are not local stand for one visible step each (the relock of a timed wait for two).
#[derive(Clone, Debug)]
pub(crate) enum Instruction {
    /// The first step of the thread.
    Start,
    /// A statement that is one visible step.
    Simple(Stmt),
    /// What a wait does after it gave the mutex back: `timeout` is the register of a timed one.
    Relock { condvar: ObjectId, mutex: ObjectId, timeout: Option<Register> },
    /// What an arrival does after it.
    Pass { barrier: ObjectId, reg: Register },
    /// What a receive on a channel without room does first.
    Offer { channel: ObjectId },
    /// What a send on a channel without room does after it.
    Taken { channel: ObjectId },
    /// Begins an initialisation, or goes to `skip` if it has been done.
    OnceEnter { once: ObjectId, skip: usize },
    /// Ends an initialisation.
    OnceExit { once: ObjectId },
    /// Reads a cell in a loop; the [`Instruction::Spin`] of the loop comes next, and then what follows the loop.
    SpinLoad { cell: ObjectId, value: i64 },
    /// Waits for the cell to change.
    Spin { cell: ObjectId },
    /// The last step of the thread.
    End,
    /// Local: goes to `otherwise` unless the register holds the number.
    Branch { reg: Register, equals: i64, otherwise: usize },
    /// Local: goes elsewhere.
    Jump(usize),
    /// Local: the run panics unless the register holds the number.
    Assert { reg: Register, equals: i64 },
}

/// A program, ready to be interpreted.
#[derive(Clone, Debug)]
pub(crate) struct Code<'p> {
    pub(crate) program: &'p Program,
    threads: Vec<Vec<Instruction>>,
}

impl<'p> Code<'p> {
    pub(crate) fn of(program: &'p Program) -> Code<'p> {
        Code { program, threads: program.threads.iter().map(|block| thread(program, block)).collect() }
    }

    pub(crate) fn at(&self, thread: ThreadId, place: usize) -> &Instruction {
        &self.threads[thread.index()][place]
    }
}

fn thread(program: &Program, block: &[Stmt]) -> Vec<Instruction> {
    let mut code = vec![Instruction::Start];
    add_block(program, &mut code, block);
    code.push(Instruction::End);
    code
}

fn add_block(program: &Program, code: &mut Vec<Instruction>, block: &[Stmt]) {
    block.iter().for_each(|statement| add(program, code, statement));
}

fn add(program: &Program, code: &mut Vec<Instruction>, statement: &Stmt) {
    match statement {
        Stmt::Send { channel, .. } if program.is_without_room(*channel) => {
            code.push(Instruction::Simple(statement.clone()));
            code.push(Instruction::Taken { channel: *channel });
        }
        Stmt::Receive { channel, .. } | Stmt::TimedReceive { channel, .. }
            if program.is_without_room(*channel) =>
        {
            code.push(Instruction::Offer { channel: *channel });
            code.push(Instruction::Simple(statement.clone()));
        }
        Stmt::Wait { condvar, mutex } => {
            code.push(Instruction::Simple(statement.clone()));
            code.push(Instruction::Relock { condvar: *condvar, mutex: *mutex, timeout: None });
        }
        Stmt::TimedWait { condvar, mutex, reg } => {
            code.push(Instruction::Simple(statement.clone()));
            code.push(Instruction::Relock { condvar: *condvar, mutex: *mutex, timeout: Some(*reg) });
        }
        Stmt::Arrive { barrier, reg } => {
            code.push(Instruction::Simple(statement.clone()));
            code.push(Instruction::Pass { barrier: *barrier, reg: *reg });
        }
        Stmt::Once { once, body } => {
            let enter = code.len();
            code.push(Instruction::OnceEnter { once: *once, skip: 0 });
            add_block(program, code, body);
            code.push(Instruction::OnceExit { once: *once });
            code[enter] = Instruction::OnceEnter { once: *once, skip: code.len() };
        }
        Stmt::SpinUntil { cell, value } => {
            code.push(Instruction::SpinLoad { cell: *cell, value: *value });
            code.push(Instruction::Spin { cell: *cell });
        }
        Stmt::If { reg, equals, then, otherwise } => {
            let branch = code.len();
            code.push(Instruction::Jump(0));
            add_block(program, code, then);
            let jump = code.len();
            code.push(Instruction::Jump(0));
            code[branch] = Instruction::Branch { reg: *reg, equals: *equals, otherwise: code.len() };
            add_block(program, code, otherwise);
            code[jump] = Instruction::Jump(code.len());
        }
        Stmt::Assert { reg, equals } => code.push(Instruction::Assert { reg: *reg, equals: *equals }),
        _ => code.push(Instruction::Simple(statement.clone())),
    }
}
