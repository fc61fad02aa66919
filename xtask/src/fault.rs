//! `cargo xtask faults`: the test of the tests. Every deliberate fault in the search has to be noticed.

#[cfg(feature = "faults")]
pub use enabled::{main, pause};

/// Does something with all faults switched off.
#[cfg(not(feature = "faults"))]
pub fn pause<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// The faults are only there if they were compiled in, so this builds the chores again, with them.
#[cfg(not(feature = "faults"))]
pub fn main(arguments: &[String]) -> std::process::ExitCode {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let status = std::process::Command::new(cargo)
        .args(["run", "--quiet", "--release", "--package", "xtask", "--features", "faults", "--target-dir"])
        .args([crate::root().join("target/faults").as_os_str(), "--".as_ref(), "faults".as_ref()])
        .args(arguments)
        .status();
    match status {
        Ok(status) if status.success() => std::process::ExitCode::SUCCESS,
        Ok(_) => std::process::ExitCode::FAILURE,
        Err(error) => {
            eprintln!("could not start cargo: {error}");
            std::process::ExitCode::from(3)
        }
    }
}

#[cfg(feature = "faults")]
mod enabled {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::process::ExitCode;

    use raddle_oracle::{Outcomes, Program, Reached, brute_force, reached};
    use raddle_trace::fault::{ALL, Fault, switch};

    use crate::arguments::Arguments;
    use crate::compare::{self, COMPLETE};
    use crate::modelled::{self, Model};
    use crate::oracle::{self, program};
    use crate::small;

    /// Interleavings of the largest random program.
    const LIMIT: u64 = 3000;

    thread_local! {
        static CURRENT: Cell<Option<Fault>> = const { Cell::new(None) };
    }

    fn set(fault: Option<Fault>) {
        CURRENT.with(|current| current.set(fault));
        switch(fault);
    }

    pub fn pause<R>(f: impl FnOnce() -> R) -> R {
        switch(None);
        let result = f();
        switch(CURRENT.with(Cell::get));
        result
    }

    pub fn main(arguments: &[String]) -> ExitCode {
        let mut arguments = Arguments::new(arguments);
        let (programs, seed) = (arguments.number("--programs", 1000), arguments.number("--seed", 1));
        if let Err(problem) = arguments.finish() {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
        // A broken search may panic; that is noticed too, and need not be read.
        std::panic::set_hook(Box::new(|_| {}));
        // What once showed a mistake is worth more time.
        let cases: Vec<(Program, Outcomes, Reached)> = (0..programs)
            .map(|index| (program(seed, index), LIMIT))
            .chain(small::programs().into_iter().map(|(_, program)| (program, oracle::LIMIT)))
            .filter_map(|(program, limit)| {
                let truth = brute_force(&program, limit).ok()?;
                let reached = reached(&program, limit).ok()?;
                Some((program, truth, reached))
            })
            .collect();
        let mut missed = 0;
        for (fault, what) in ALL {
            let by_hand = is_noticed_by_hand(*fault);
            let noticed = cases.iter().position(|(program, truth, reached)| {
                !by_hand && is_noticed(*fault, program, truth, reached)
            });
            match noticed {
                _ if by_hand => {
                    println!("   noticed  {fault:?}: {what}; by the programs with answers by hand")
                }
                Some(at) => {
                    println!("   noticed  {fault:?}: {what}; by program {} of {}", at + 1, cases.len())
                }
                None => {
                    missed += 1;
                    println!("    MISSED  {fault:?}: {what}");
                }
            }
        }
        println!("\nseed {seed}, {} programs", cases.len());
        println!("{} passed, {missed} failed", ALL.len() - missed);
        if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn is_noticed_by_hand(fault: Fault) -> bool {
        set(Some(fault));
        let noticed = catch_unwind(crate::guided::difference);
        set(None);
        noticed.map_or(true, |difference| difference.is_some())
    }

    fn is_noticed(fault: Fault, program: &Program, truth: &Outcomes, reached: &Reached) -> bool {
        set(Some(fault));
        let of_model = format!("{fault:?}").starts_with("Model");
        let noticed = catch_unwind(AssertUnwindSafe(|| {
            if of_model {
                let differs =
                    |model: &Model| modelled::difference(program, *model, reached, oracle::LIMIT).is_some();
                return Model::ALL.iter().any(differs);
            }
            COMPLETE.iter().any(|&strategy| compare::difference(program, strategy, truth).is_some())
                || (0..=3).any(|bound| compare::bound_difference(program, bound, truth).is_some())
        }));
        set(None);
        noticed.unwrap_or(true)
    }
}
