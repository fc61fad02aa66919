//! The words: findings and verdicts as text for people.
//!
//! The rest of Raddle deals in facts; here they become sentences, tables and snippets of source, for a terminal, a pipe
//! or the message of a panic. A finding is its headline, the schedule with one column per thread, the source lines that
//! matter, and how to see it again.
//!
//! Invariants: no I/O (source text is handed in), no clock, no hash order: the same facts give the same bytes. No line is
//! wider than [`Style::width`], except for the commands and paths that are there to be copied. Text of the program under
//! test (messages, names, source) is hostile and goes through `sanitise` before it is shown. Every sentence stands in one
//! place.

mod calls;
mod cells;
mod chrome;
mod columns;
mod comments;
mod deadlock;
mod diverged;
mod ending;
mod events;
mod explain;
mod files;
mod finding;
mod fold;
mod format;
mod functions;
mod github;
mod grid;
mod identity;
mod json;
#[cfg(feature = "junit")]
mod junit;
mod learned;
mod listing;
mod memory;
mod model;
mod objects;
mod outcomes;
mod output;
mod page;
mod passing;
mod race;
mod record;
mod sanitise;
mod sarif;
mod shiviz;
mod snippet;
mod story;
mod style;
mod summary;
mod text;
mod tried;
mod units;
mod values;
mod variables;
mod words;

#[cfg(test)]
mod tests;

pub use chrome::chrome_trace;
pub use diverged::{Diverged, diverged, replayed_well};
pub use events::{Happening, event_line};
pub use explain::explain;
pub use finding::{FindingView, finding};
pub use format::{Format, UnknownFormat, check_files};
pub use github::{github_annotations, github_summary};
pub use identity::finding_id;
pub use json::{finding_json, json};
#[cfg(feature = "junit")]
pub use junit::junit;
pub use learned::{add_hapsets, read_hapsets};
pub use listing::{ListedRun, listed_run};
pub use model::{
    DRAWN_NODES, EXPORTED_NODES, MODEL_FORMATS, ModelError, ModelPart, PREFIX_FORMATS, beyond, model_file,
};
pub use objects::object_label;
pub use outcomes::{OneOutcome, Outcomes, outcomes, outcomes_json};
pub use output::{OutputFile, finding_files, kept_name, source_files, write_files};
pub use page::page;
pub use record::{
    Counted, Coverage, FindingRecord, Graph, Kept, Line, Met, ModelSizes, Node, Passing, PassingRun, Record,
    Shape, Uncontrolled,
};
pub use sarif::sarif;
pub use shiviz::shiviz;
pub use style::Style;
pub use summary::{Face, Summary, summary};
pub use text::{count, grouped, megabytes, percent, roughly, seconds, wrapped};
pub use tried::{Fate, Tree, TreeNode, TreeRun, TreeStep};
pub use units::{parse_duration, parse_size};
pub use variables::{PREFIX as VARIABLE_PREFIX, misnamed_variable};
pub use words::thread_label;
