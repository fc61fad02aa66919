//! A supervisor for tests: builds a C program against the runtime, hands it a task, collects what it tells.

use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use raddle_channel::{Found, Message, Task, Told, frame};
use raddle_detect::Finding;
use raddle_explore::Reached;

/// What a program told.
#[derive(Default)]
#[allow(dead_code, reason = "not every test looks at everything")]
pub struct Told2 {
    pub found: Vec<Found>,
    pub run: Option<(Told, Option<Finding>)>,
    pub uncontrolled: Vec<String>,
    pub reached: Option<Reached>,
}

/// The folder with the runtime that was built for this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let folder = test.parent().and_then(Path::parent).expect("tests lie in a folder of the build");
    folder.to_path_buf()
}

/// Builds a program that calls the hooks by itself.
pub fn build(name: &str, source: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("raddle-native-runtime-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for a folder");
    let (file, program) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&file, source).expect("there is room for a file");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let built = Command::new("cc")
        .args(["-g", "-O1", "-o"])
        .arg(&program)
        .arg(&file)
        .arg("-I")
        .arg(include)
        .arg("-L")
        .arg(library())
        .args(["-lraddle_native", "-lpthread"])
        .arg(format!("-Wl,-rpath,{}", library().display()))
        .status()
        .expect("there is a C compiler");
    assert!(built.success(), "{name} does not compile");
    program
}

/// Lets the program do the task.
pub fn run(program: &Path, task: &Task) -> Told2 {
    let (mut ours, theirs) = UnixStream::pair().expect("there is room for a channel");
    let theirs = OwnedFd::from(theirs);
    // The descriptor has to survive the start of the program.
    let descriptor = theirs.as_raw_fd();
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("exec setarch -R {} 3<&0 </dev/null", program.display()))
        .env("RADDLE_CHANNEL", "3")
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let _ = descriptor;
    frame::write(&mut ours, task).expect("the program listens");
    let mut told = Told2::default();
    while let Ok(Some(message)) = frame::read::<Message>(&mut ours) {
        match message {
            Message::Found(found) => told.found.push(*found),
            Message::Run { told: run, finding, .. } => told.run = Some((*run, finding)),
            Message::Uncontrolled { name, .. } => told.uncontrolled.push(name),
            Message::Done(reached) => told.reached = Some(reached),
            _ => {}
        }
    }
    let status = child.wait().expect("the program ends");
    assert!(told.reached.is_some(), "{} died: {status}", program.display());
    told
}
