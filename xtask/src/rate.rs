//! How many runs a second a strategy makes on a small program.
use raddle_explore::{RunLimits, Settings, StrategyName, Subject};
use std::time::Instant;
pub fn rate(program: &raddle_oracle::Program, name: StrategyName, seconds: f64) {
    let start = Instant::now();
    let mut runs = 0u64;
    while start.elapsed().as_secs_f64() < seconds {
        let mut stand = crate::stand::Stand::new(program);
        let mut strategy = name.make(&Settings::default());
        while strategy.begin() {
            let run = stand.run(&mut *strategy, &RunLimits::default());
            strategy.learn(run);
            runs += 1;
        }
    }
    println!("{name}: {:.0} runs/s", runs as f64 / start.elapsed().as_secs_f64());
}
