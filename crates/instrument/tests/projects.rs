//! Whole projects, built by make and by CMake with nothing but the compiler variables set. This program is then the compiler:
//! called with `RADDLE_TEST_TOOLS` in its environment, it does what `raddle cc` and `raddle c++` do.

mod support;

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use raddle_instrument::driver::{Language, compile};
use raddle_instrument::model;
use raddle_instrument::tools::Tools;
use support::{folder, run, tools};

const MAKEFILE: &str = "\
CFLAGS = -O2 -Wall -Werror -MMD
OBJECTS = main.o queue.o
prog: $(OBJECTS) libsum.a
\t$(CC) $(CFLAGS) $(OBJECTS) -L. -lsum -pthread -o $@
libsum.a: sum.o
\tar rcs $@ $^
%.o: %.c
\t$(CC) $(CFLAGS) -c $< -o $@
check: prog
\t./prog
-include *.d
";
const QUEUE_H: &str = "void put(int); int take(void);\nlong sum(const int *, int);\n";
const QUEUE_C: &str = "\
#include <pthread.h>
#include \"queue.h\"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[8], used;
void put(int x) { pthread_mutex_lock(&lock); items[used++] = x; pthread_mutex_unlock(&lock); }
int take(void) { pthread_mutex_lock(&lock); int x = items[--used]; pthread_mutex_unlock(&lock); return x; }
";
const SUM_C: &str = "#include \"queue.h\"\nlong sum(const int *a, int n) { long s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n";
const MAIN_C: &str = "\
#include <pthread.h>
#include <stdio.h>
#include \"queue.h\"
static void *work(void *arg) { put(*(int *)arg); return 0; }
int main(void) {
  pthread_t t[2];
  int v[2] = {3, 4};
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, &v[i]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  int taken[2] = {take(), take()};
  printf(\"%ld\\n\", sum(taken, 2));
  return 0;
}
";

const CMAKE: &str = "\
cmake_minimum_required(VERSION 3.13)
project(counter C CXX)
include(CheckIncludeFileCXX)
check_include_file_cxx(future HAVE_FUTURE)
if(NOT HAVE_FUTURE)
  message(FATAL_ERROR \"no <future>\")
endif()
set(CMAKE_CXX_STANDARD 17)
find_package(Threads REQUIRED)
add_library(store STATIC store.cpp)
add_library(legacy SHARED legacy.c)
add_executable(prog main.cpp)
target_link_libraries(prog store legacy Threads::Threads)
";
const STORE_HPP: &str = "\
#include <map>
#include <mutex>
#include <stdexcept>
template <class K, class V> class Store {
  std::mutex m; std::map<K, V> items;
public:
  void set(K k, V v) { std::lock_guard<std::mutex> g(m); items[k] = v; }
  V get(K k) { std::lock_guard<std::mutex> g(m); auto i = items.find(k); if (i == items.end()) throw std::out_of_range(\"no such key\"); return i->second; }
};
extern Store<int, int> store;
";
const STORE_CPP: &str = "#include \"store.hpp\"\nStore<int, int> store;\n";
const LEGACY_C: &str = "int legacy(int x) { static int calls; return x + ++calls; }\n";
const MAIN_CPP: &str = "\
#include <future>
#include <iostream>
#include \"store.hpp\"
extern \"C\" int legacy(int);
int main() {
  auto a = std::async(std::launch::async, [] { store.set(1, legacy(10)); });
  a.get();
  auto b = std::async(std::launch::async, [] { return store.get(1); });
  auto c = std::async(std::launch::async, [] { return store.get(2); });
  std::cout << b.get() << ' ';
  try { c.get(); } catch (std::out_of_range &e) { std::cout << e.what() << '\\n'; }
}
";

fn main() -> ExitCode {
    if let Some(tools) = std::env::var_os("RADDLE_TEST_TOOLS") {
        return act_as_compiler(tools);
    }
    make_builds_a_project_of_several_files();
    cmake_builds_a_cpp_project_with_libraries();
    ExitCode::SUCCESS
}

/// The first argument says which compiler; the variable names the plugin and the runtime.
fn act_as_compiler(tools: OsString) -> ExitCode {
    let mut paths = std::env::split_paths(&tools);
    let mut next = || paths.next().unwrap_or_default();
    let tools = Tools {
        clang: "clang-19".into(),
        clangxx: "clang++-19".into(),
        plugin: next(),
        runtime_library: next(),
        include: None,
        temporary: None,
        said: None,
        folder: None,
        silent: false,
    };
    let mut arguments = std::env::args_os().skip(1);
    let language =
        if arguments.next().is_some_and(|word| word == "c++") { Language::Cpp } else { Language::C };
    let arguments: Vec<OsString> = arguments.collect();
    let code = compile(language, &arguments, &tools).ok().and_then(|status| status.code());
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(3))
}

/// Scripts `cc` and `c++` that call this program.
fn compilers(folder: &Path) -> (PathBuf, PathBuf) {
    let test = std::env::current_exe().expect("a test knows its own file");
    let tools = tools();
    let paths = format!("{}:{}", tools.plugin.display(), tools.runtime_library.display());
    let script = |word: &str| {
        let path = folder.join(format!("raddle-{word}"));
        let text =
            format!("#!/bin/sh\nRADDLE_TEST_TOOLS='{paths}' exec '{}' {word} \"$@\"\n", test.display());
        std::fs::write(&path, text).expect("the folder can be written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
            .expect("a script can be made");
        path
    };
    (script("cc"), script("c++"))
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("the folder can be written");
    }
}

/// Runs a command of a build system and shows what it said if it fails.
fn build(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; see setup.sh"));
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{said}");
}

fn check(program: &Path, printed: &str, modules: usize) {
    for variable in [None, Some("STUB_ACTIVE")] {
        assert_eq!(String::from_utf8_lossy(&run(program, variable).stdout), printed);
    }
    let model = model::read(program).expect("the program has a model");
    assert_eq!((model.modules.len(), model.uncontrolled.len()), (modules, 0), "{model:?}");
}

fn make_builds_a_project_of_several_files() {
    let folder = folder("make");
    let files = [
        ("Makefile", MAKEFILE),
        ("queue.h", QUEUE_H),
        ("queue.c", QUEUE_C),
        ("sum.c", SUM_C),
        ("main.c", MAIN_C),
    ];
    write(&folder, &files);
    let (cc, _) = compilers(&folder);
    build(Command::new("make").arg("check").arg(format!("CC={}", cc.display())).current_dir(&folder));
    check(&folder.join("prog"), "7\n", 3);
}

fn cmake_builds_a_cpp_project_with_libraries() {
    let folder = folder("cmake");
    let files = [
        ("CMakeLists.txt", CMAKE),
        ("store.hpp", STORE_HPP),
        ("store.cpp", STORE_CPP),
        ("legacy.c", LEGACY_C),
        ("main.cpp", MAIN_CPP),
    ];
    write(&folder, &files);
    let (cc, cxx) = compilers(&folder);
    let out = folder.join("out");
    build(Command::new("cmake").arg("-S").arg(&folder).arg("-B").arg(&out).env("CC", &cc).env("CXX", &cxx));
    build(Command::new("cmake").arg("--build").arg(&out));
    check(&out.join("prog"), "11 no such key\n", 2);
}
