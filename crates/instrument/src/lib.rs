//! How C and C++ programs are built for the tester.
//!
//! - [`driver`]: in the place of clang: the same command line, plus the pass plugin when it compiles and the runtime when it
//!   links.
//! - [`tools`]: where clang, the plugin and the runtime are.
//! - [`unlinked`]: why sources did not become a program.
//! - [`model`]: what the pass left in a program: its modules, functions, sites, and the library functions it uses.
//!
//! Inside: `arguments` understands clang's command line as far as that takes, `uncontrolled` finds objects that were not
//! compiled here.

mod arguments;
pub mod driver;
pub mod model;
pub mod tools;
mod uncontrolled;
pub mod unlinked;
