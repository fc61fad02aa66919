//! Where clang, the plugin and the runtime are.

use std::path::{Path, PathBuf};

use crate::driver::DriverError;

/// The file name of the pass plugin.
pub const PLUGIN: &str = "libraddle_pass.so";
/// The file name of the runtime.
pub const RUNTIME: &str = "libraddle_native_runtime.so";

/// What the driver needs.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The C compiler.
    pub clang: PathBuf,
    /// The C++ compiler.
    pub clangxx: PathBuf,
    /// The pass plugin.
    pub plugin: PathBuf,
    /// The runtime that programs are linked with.
    pub runtime_library: PathBuf,
    /// The folder of `raddle.h`, if it is installed.
    pub include: Option<PathBuf>,
    /// Where clang keeps files that nobody needs afterwards; `None` for where it always does.
    pub temporary: Option<PathBuf>,
    /// A file for what the compiler says, where it would be in the way on stderr.
    pub said: Option<PathBuf>,
    /// The folder in which clang runs; `None` for the current one.
    pub folder: Option<PathBuf>,
    /// Whether what clang says is of no interest.
    pub silent: bool,
}

impl Tools {
    /// Looks for everything: clang on the path and in the folder where Debian puts LLVM, or in that which `RADDLE_LLVM`
    /// names instead; the libraries beside the running program, in the `lib` folder next to its
    /// folder, and in the folder that `RADDLE_LIB` names.
    ///
    /// # Errors
    /// Something is missing; the error says what to install or to build.
    pub fn find() -> Result<Tools, DriverError> {
        let (clang, clangxx) = (Tools::find_clang()?, Tools::find_clangxx()?);
        let folders = library_folders();
        let plugin = find_library(PLUGIN, "raddle-pass", &folders)?;
        let runtime_library = find_library(RUNTIME, "raddle-native-runtime", &folders)?;
        let include = find_include(&runtime_library);
        Ok(Tools {
            clang,
            clangxx,
            plugin,
            runtime_library,
            include,
            temporary: None,
            said: None,
            folder: None,
            silent: false,
        })
    }

    /// Looks for the C compiler only.
    ///
    /// # Errors
    /// It is missing; the error says what to install.
    pub fn find_clang() -> Result<PathBuf, DriverError> {
        find_program("clang-19", "clang")
    }

    /// Looks for the C++ compiler only.
    ///
    /// # Errors
    /// It is missing; the error says what to install.
    pub fn find_clangxx() -> Result<PathBuf, DriverError> {
        find_program("clang++-19", "clang++")
    }
}

/// A compiler of LLVM 19: by its versioned name on the path, or in the folder where Debian puts it.
fn find_program(versioned: &str, plain: &str) -> Result<PathBuf, DriverError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let llvm = std::env::var_os("RADDLE_LLVM").unwrap_or_else(|| "/usr/lib/llvm-19".into());
    std::env::split_paths(&path)
        .map(|folder| folder.join(versioned))
        .chain([Path::new(&llvm).join("bin").join(plain)])
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| DriverError::NoCompiler { program: versioned.to_owned() })
}

/// The folders that may hold the libraries, in the order in which they are looked at.
fn library_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Some(folder) = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned())) {
        // Cargo leaves the libraries that a program depends on in `deps` below it; one beside the program may be older then.
        folders.extend(Some(folder.join("deps")).filter(|built| built.is_dir()));
        folders.push(folder.clone());
        if let Some(above) = folder.parent() {
            folders.push(above.join("lib"));
            // Cargo puts test programs into `deps`, and libraries one above.
            if folder.ends_with("deps") {
                folders.push(above.to_owned());
            }
        }
    }
    folders.extend(std::env::var_os("RADDLE_LIB").map(PathBuf::from));
    folders
}

fn find_library(file: &str, package: &str, folders: &[PathBuf]) -> Result<PathBuf, DriverError> {
    folders.iter().map(|folder| folder.join(file)).find(|candidate| candidate.is_file()).ok_or_else(|| {
        DriverError::NoLibrary {
            file: file.to_owned(),
            package: package.to_owned(),
            looked: folders.iter().map(|each| each.display().to_string()).collect::<Vec<_>>().join(", "),
        }
    })
}

/// The header lies beside the libraries, in an `include` folder next to them, or in the tree that this was built from.
fn find_include(runtime: &Path) -> Option<PathBuf> {
    let folder = runtime.parent()?;
    let beside =
        [Some(folder.to_owned()), Some(folder.join("include")), folder.parent().map(|up| up.join("include"))];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../native-runtime/include");
    beside.into_iter().flatten().chain([source]).find(|candidate| candidate.join("raddle.h").is_file())
}
