//! Programs that are compiled together.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use raddle_channel::Races;
use raddle_instrument::driver;
use raddle_instrument::tools::Tools;
use raddle_oracle::{
    Cells, Form, Language, Lies, Memory, Outcomes, Program, Shape, Threads, Topic, Written, as_c_can_say,
    brute_force, c_source, generate, synchronised, takes_twice, topics_of_c,
};

/// Interleavings of the largest program that is compared.
const LIMIT: u64 = 2000;

/// A program with what is true of it.
pub(super) struct Case {
    pub(super) index: u64,
    pub(super) program: Program,
    pub(super) form: Form,
    pub(super) races: Races,
    /// With hidden memory, traces are those without it.
    pub(super) truth: Outcomes,
    /// Whether it has a data race that is to be found.
    pub(super) races_itself: bool,
}

impl Case {
    /// The program in the words of C; `None` if it is too large for brute force.
    pub(super) fn of(index: u64, program: Program, form: Form, races: Races) -> Option<Case> {
        let program = as_c_can_say(&program, form.cells);
        // The C library refuses to share a lock with oneself, and says so; the oracle waits for ever.
        if takes_twice(&program) {
            return None;
        }
        let truth = brute_force(&program, LIMIT).ok()?;
        let mut case = Case { index, program, form, races, truth, races_itself: false };
        if case.memory() != Memory::Visible {
            let synchronised = synchronised(&case.program, form.cells, LIMIT).ok()?;
            case.races_itself = synchronised.races;
            case.truth.traces = synchronised.traces;
        }
        Some(case)
    }

    /// Whether accesses to cells are steps.
    pub(super) fn memory(&self) -> Memory {
        match (self.form.cells, self.races) {
            (Cells::Atomic, _) | (_, Races::Ignore) => Memory::Visible,
            (cells, Races::Fail) => Memory::Hidden(cells),
        }
    }

    pub(super) fn written(&self) -> Written<'_> {
        let threads = self.program.threads.len();
        let ends = |thread: usize| -> BTreeSet<Vec<i64>> {
            self.truth.ends.iter().map(|end| end.registers[thread].clone()).collect()
        };
        Written { program: &self.program, form: self.form, ends: (0..threads).map(ends).collect() }
    }

    /// How it is written, in a few words each.
    pub(super) fn words(&self) -> Vec<String> {
        let Form { language, threads, cells, lies, copies, .. } = self.form;
        let mut words = vec![format!("{language:?} with {threads:?} threads"), format!("{lies:?}")];
        words.push(match (self.memory(), self.races_itself) {
            (Memory::Visible, _) => format!("{cells:?} cells"),
            (Memory::Hidden(_), false) => format!("{cells:?} cells and no race"),
            (Memory::Hidden(_), true) => format!("{cells:?} cells and a race"),
        });
        words.extend(self.form.tells.then(|| "registers told".to_owned()));
        words.extend(copies.then(|| "with copies".to_owned()));
        words
    }
}

/// Draws until a program is small enough. The language is the same for all of a batch.
pub(super) fn draw(seed: u64, index: u64) -> Case {
    let mut attempt = 0;
    loop {
        let number = seed.wrapping_mul(1_000_003).wrapping_add(index).wrapping_add(attempt << 40);
        let form = form(index, number);
        let program = generate(number, &shape(number, form.cells));
        // The C++ library has memory of its own, which would be visible too.
        let ignored = form.cells != Cells::Atomic && number.is_multiple_of(2) && form.language == Language::C;
        let races = if ignored { Races::Ignore } else { Races::Fail };
        let form = match races {
            Races::Ignore => Form { lies: Lies::Static, copies: false, ..form },
            Races::Fail => form,
        };
        if let Some(case) = Case::of(index, program, form, races) {
            return case;
        }
        attempt += 1;
    }
}

fn form(index: u64, number: u64) -> Form {
    let language = if index / super::BATCH % 3 == 2 { Language::Cpp } else { Language::C };
    let threads = match (language, number % 3) {
        (_, 0) => Threads::Posix,
        (Language::C, 1) => Threads::Posix,
        (Language::C, _) => Threads::C11,
        (Language::Cpp, _) => Threads::Std,
    };
    let cells = match number % 10 {
        0 | 5 | 6 if language == Language::C || number.is_multiple_of(10) => Cells::Plain,
        1 | 2 => Cells::Mixed,
        _ => Cells::Atomic,
    };
    // Both are memory, and would be steps where plain memory is visible.
    let lies = if number % 7 < 3 { Lies::Allocated } else { Lies::Static };
    Form { language, threads, cells, lies, copies: number % 11 < 5, tells: number % 13 < 8, seed: number }
}

fn shape(number: u64, cells: Cells) -> Shape {
    let mut topics = topics_of_c();
    if cells == Cells::Plain {
        topics.remove(&Topic::Spin);
    }
    if number % 8 != 7 {
        topics.remove(&Topic::Assert);
    }
    let (threads, statements) =
        [(2, 5), (3, 3), (2, 4), (3, 2), (2, 5), (3, 3), (4, 2), (3, 3)][number as usize % 8];
    Shape { threads, statements, topics }
}

/// Programs in one binary.
pub(super) struct Batch {
    pub(super) binary: PathBuf,
    /// Where the runtime lies.
    pub(super) libraries: Option<PathBuf>,
    pub(super) cases: Vec<Case>,
}

impl Batch {
    pub(super) fn compile(
        tools: &Tools,
        binary: &Path,
        number: u64,
        cases: Vec<Case>,
    ) -> Result<Batch, String> {
        let written: Vec<Written<'_>> = cases.iter().map(Case::written).collect();
        let form = cases.first().map_or(Language::C, |case| case.form.language);
        let (ending, standard, language) = match form {
            Language::C => ("c", "-std=gnu17", driver::Language::C),
            Language::Cpp => ("cpp", "-std=c++20", driver::Language::Cpp),
        };
        let source = binary.with_extension(ending);
        std::fs::write(&source, c_source(form, &written)).map_err(|error| error.to_string())?;
        let level = ["-O0", "-O1", "-O2"][number as usize % 3];
        let mut arguments: Vec<OsString> = ["-pthread", "-w", level, standard].map(OsString::from).to_vec();
        arguments.extend([source.clone().into(), "-o".into(), binary.into()]);
        let status = driver::compile(language, &arguments, tools).map_err(|error| error.to_string())?;
        if !status.success() {
            let text = std::fs::read_to_string(&source).unwrap_or_default();
            return Err(format!("a batch does not compile:\n{text}"));
        }
        let libraries = tools.runtime_library.parent().map(Path::to_owned);
        Ok(Batch { binary: binary.to_owned(), libraries, cases })
    }
}
