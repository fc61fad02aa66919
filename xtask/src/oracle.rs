//! `cargo xtask oracle`: all strategies against brute force, on random programs.

use std::process::ExitCode;
use std::time::Instant;

use raddle_explore::StrategyName;
use raddle_oracle::{Distribution, Program, Shape, Topic, brute_force, check_commutes, generate, shrink};

use crate::compare;

pub const ALL: [StrategyName; 6] = [
    StrategyName::Every,
    StrategyName::Dpor,
    StrategyName::DporSleep,
    StrategyName::DporCr,
    StrategyName::DporCrSleep,
    StrategyName::OptimalDpor,
];

pub fn main(arguments: &[String]) -> ExitCode {
    let number = |name: &str, default: u64| {
        arguments
            .iter()
            .position(|a| a == name)
            .and_then(|i| arguments.get(i + 1))
            .and_then(|v| v.parse().ok())
            .unwrap_or(default)
    };
    let (programs, seed) = (number("--programs", 1000), number("--seed", 1));
    let mut distribution = Distribution::default();
    let start = Instant::now();
    let mut failed = 0;
    for index in 0..programs {
        let shape = match index % 4 {
            0 => Shape::new(2, 5),
            1 => Shape::new(3, 3),
            2 => Shape::new(2, 4),
            _ => Shape::new(3, 2),
        };
        let program = generate(seed.wrapping_mul(1_000_003).wrapping_add(index), &shape);
        let Ok(truth) = brute_force(&program, 20_000) else { continue };
        distribution.add(&program, &truth.endings());
        let only = arguments.iter().position(|a| a == "--strategy").and_then(|i| arguments.get(i + 1));
        for strategy in ALL.into_iter().filter(|s| only.is_none_or(|o| s.as_str() == o)) {
            if let Some(difference) = compare::difference(&program, strategy, &truth) {
                failed += 1;
                println!("seed {seed} program {index} {strategy}: {difference}");
                if failed <= 3 {
                    let smallest = shrink(&program, &mut |candidate| {
                        brute_force(candidate, 20_000)
                            .is_ok_and(|truth| compare::difference(candidate, strategy, &truth).is_some())
                    });
                    let truth = brute_force(&smallest, 20_000).expect("small");
                    println!("{smallest}\n{:?}\n", compare::difference(&smallest, strategy, &truth));
                }
            }
        }
    }
    println!(
        "{} programs, {} distinct, {failed} differences, {:.1} s",
        distribution.programs(),
        distribution.distinct(),
        start.elapsed().as_secs_f64()
    );
    println!("never drawn: {:?}", distribution.never_drawn());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
