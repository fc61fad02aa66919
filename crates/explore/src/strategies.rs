//! The strategies, one file or folder each. Every one states its guarantee and entered through the comparison with
//! brute force.

mod auto;
mod by_statement;
mod depth_first;
mod dpor;
mod every;
mod hapset;
mod modelled;
mod optimal;
mod pct;
mod pos;
mod postponed;
mod preemption_bound;
mod random;
mod sleep_set;
mod stateful_naive;
mod surw;
mod unfolding;

pub use auto::Auto;
pub use by_statement::ByStatement;

pub use dpor::Dpor;
pub use every::Every;
pub use hapset::HapSet;
pub use optimal::OptimalDpor;
pub use pct::Pct;
pub use pos::Pos;
pub use postponed::Postponed;
pub use preemption_bound::PreemptionBound;
pub use random::Random;
pub use stateful_naive::StatefulNaive;
pub use surw::Surw;
pub use unfolding::Unfolding;
