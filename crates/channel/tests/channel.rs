//! What is written is read back; what was not written by us is refused.

use raddle_channel::{ChannelError, Found, Message, Progress, Task, Told, Uncontrolled, What, frame, sites};
use raddle_detect::{Block, Detail, Finding, FindingKind, Spot};
use raddle_explore::{Guarantee, Limit, Reached};
use raddle_trace::schedule::ThreadName;
use raddle_trace::{
    Ending, Event, Failure, Kind, ObjectId, ObjectNote, Operation, Outcome, Place, Run, Step, ThreadId,
    Whereabouts,
};

fn site(line: u32) -> Place {
    sites::site("bank.c", "deposit", line, 5, 9).map_or(Place::Unknown, Place::Site)
}

fn event(thread: usize, kind: Kind, line: u32) -> Event {
    Event {
        thread: ThreadId::new(thread),
        operation: Operation::new(kind, ObjectId::new(3), u64::MAX),
        outcome: Outcome::Done,
        alternative: 1,
        alternatives: 2,
        before: i64::MIN,
        value: -1,
        cause: Some(7),
        decided: true,
        preempts: true,
        place: site(line),
    }
}

fn found() -> Message {
    let run = Run {
        trouble_after: Some(2),
        events: vec![event(0, Kind::Lock, 3), event(1, Kind::Unlock, 4), event(0, Kind::Load, 3)],
        ending: Ending::Failed(Failure::UseAfterFree),
        objects: vec![ObjectNote {
            kind: "mutex",
            name: Some("queue.mutex"),
            place: site(9),
            lies: Whereabouts::Heap { by: ThreadId::new(1), number: 2, offset: 8, allocated: site(1) },
        }],
        thread_names: vec![None, Some("writer".to_owned())],
        ..Run::default()
    };
    let spot =
        |line| Spot { thread: ThreadId::new(1), events_before: 1, place: site(line), stack: vec![site(99)] };
    let finding = Finding {
        kind: FindingKind::UseAfterFree,
        message: "reads 4 bytes".to_owned(),
        thread: ThreadId::new(1),
        place: site(12),
        detail: Detail::Memory(Block {
            size: 16,
            offset: -8,
            touched: 4,
            writes: false,
            allocated: Some(spot(1)),
            freed: Some(spot(2)),
        }),
    };
    let told = Told::new(&run, vec![ThreadName::default(), ThreadName(vec![0])]);
    Message::Found(Box::new(Found { finding, told, run: 4 }))
}

#[test]
fn every_message_is_read_back_as_it_was_written() {
    let messages = [
        Message::Hello { modules: Vec::new(), strangers: vec!["libz.a".to_owned()] },
        Message::Progress(Progress { runs: 1 << 40, ..Progress::default() }),
        found(),
        Message::Uncontrolled(Uncontrolled { name: "fork".to_owned(), place: site(1), runs: 3 }),
        Message::Done(Reached {
            too_long: Some((ThreadId::new(1), Place::Unknown)),
            runs: 90,
            guarantee: Some(Guarantee::Within(2)),
            limit: Some(Limit::Runs(90)),
            ..Reached::default()
        }),
    ];
    let mut bytes = Vec::new();
    for message in &messages {
        frame::write(&mut bytes, message).expect("a vector takes everything");
    }
    let mut rest = bytes.as_slice();
    for message in &messages {
        let read: Message = frame::read(&mut rest).expect("what was written").expect("a message");
        assert_eq!(format!("{message:?}"), format!("{read:?}"));
    }
    assert!(frame::read::<Message>(&mut rest).expect("the end").is_none());
}

#[test]
fn a_task_is_read_back_as_it_was_written() {
    let steps = vec![Step::Thread(ThreadId::new(5)), Step::Alternative(70_000)];
    let task = Task { what: What::Again { steps, stop_before: Some(3) }, bound: Some(2), ..Task::default() };
    let read: Option<Task> = frame::read(&mut frame::to_bytes(&task).as_slice()).expect("what was written");
    assert_eq!(read, Some(task));
}

#[test]
fn every_cut_and_every_changed_byte_is_noticed() {
    let bytes = frame::to_bytes(&found());
    for cut in 1..bytes.len() {
        let error = frame::read::<Message>(&mut &bytes[..cut]).expect_err("a part is no message");
        assert!(matches!(error, ChannelError::Closed), "{error}");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x41;
        assert!(frame::read::<Message>(&mut changed.as_slice()).is_err(), "byte {at}");
    }
}

#[test]
fn bytes_with_a_right_checksum_that_make_no_sense_are_refused() {
    let mut state = 1_u64;
    for length in 0..2000_usize {
        let bytes: Vec<u8> = (0..length % 97)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8 & 0x3f
            })
            .collect();
        let mut framed = b"RDL\x01".to_vec();
        framed.extend((bytes.len() as u32).to_le_bytes());
        framed.extend(crc32fast::hash(&bytes).to_le_bytes());
        framed.extend(&bytes);
        // Some of them happen to be messages; none makes the reader panic or ask for much memory.
        let _ = frame::read::<Message>(&mut framed.as_slice());
        let _ = frame::read::<Task>(&mut framed.as_slice());
    }
}
