//! Chores of the project, as `cargo xtask CHORE`.

mod compare;
mod oracle;
mod rate;
mod stand;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("oracle") => oracle::main(&arguments[1..]),
        Some("rate") => {
            let text = std::fs::read_to_string(&arguments[1]).expect("file");
            let program = raddle_oracle::parse(&text).expect("program");
            for name in [raddle_explore::StrategyName::Every, raddle_explore::StrategyName::OptimalDpor] {
                rate::rate(&program, name, 2.0);
            }
            ExitCode::SUCCESS
        }
        Some("show") => {
            let text = std::fs::read_to_string(&arguments[1]).expect("file");
            let program = raddle_oracle::parse(&text).expect("program");
            let strategy: raddle_explore::StrategyName = arguments[2].parse().expect("strategy");
            compare::show(&program, strategy);
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: cargo xtask oracle [--programs N] [--seed N]");
            ExitCode::from(2)
        }
    }
}
