//! Adds the exported symbols that the compiler does not know of, because they are defined in assembly.

fn main() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo:rerun-if-changed=exports.map");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--version-script={folder}/exports.map");
}
