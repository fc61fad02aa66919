//! Hands a program built against the runtime one task and shows what it tells:
//! `drive PROGRAM [strategy] [inline|fork] [keep-going] [ignore] [leaks] [events] [-- ARGUMENTS]`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example")]

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use raddle_channel::{Isolation, Message, Races, Task, frame};

/// What stands after `--`.
fn program_arguments(arguments: &[String]) -> String {
    arguments.iter().skip_while(|argument| *argument != "--").skip(1).cloned().collect::<Vec<_>>().join(" ")
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let strategy = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or_default();
    let task = Task {
        strategy,
        isolation: if has("fork") { Isolation::Fork } else { Isolation::Inline },
        keep_going: has("keep-going"),
        races: if has("ignore") { Races::Ignore } else { Races::Fail },
        leaks: has("leaks"),
        ..Task::default()
    };
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("exec setarch -R {} {} 3<&0 </dev/null", arguments[1], program_arguments(&arguments)))
        .env("RADDLE_CHANNEL", "3")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()
        .unwrap();
    let start = std::time::Instant::now();
    frame::write(&mut ours, &task).unwrap();
    loop {
        match frame::read::<Message>(&mut ours) {
            Ok(Some(Message::Found(found))) => {
                println!("run {}: {:?}", found.run, found.finding);
                if has("events") {
                    for (number, event) in found.told.run.events.iter().enumerate() {
                        println!(
                            "{number:4} {} {:?} {} {:?} {}",
                            event.thread,
                            event.operation.kind,
                            event.operation.object,
                            event.outcome,
                            event.place
                        );
                    }
                    println!("{:?}\n{:?}", found.told.run.objects, found.told.run.blocked);
                }
            }
            Ok(Some(Message::Progress(_) | Message::Hello { .. })) => {}
            Ok(Some(message)) => println!("{message:?}"),
            Ok(None) => break,
            Err(error) => {
                println!("{error}");
                break;
            }
        }
    }
    println!("{:?} {:?}", child.wait().unwrap(), start.elapsed());
}
