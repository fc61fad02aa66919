# Installs what the build needs from the system: a linker, and for C and C++ programs clang 19 with its headers. Sourced by ./demo and ./test.
if ! command -v cargo >/dev/null 2>&1 && [ -f "$HOME/.cargo/env" ]; then
    . "$HOME/.cargo/env"
fi
if ! command -v cargo >/dev/null 2>&1; then
    echo "cargo was not found: install Rust 1.92 or later first (https://rustup.rs)" >&2
    exit 3
fi
missing=""
command -v cc >/dev/null 2>&1 || missing="$missing gcc libc6-dev"
command -v c++ >/dev/null 2>&1 || missing="$missing g++"
command -v clang-19 >/dev/null 2>&1 || missing="$missing clang-19"
command -v llvm-config-19 >/dev/null 2>&1 || missing="$missing llvm-19-dev"
command -v make >/dev/null 2>&1 || missing="$missing make"
command -v cmake >/dev/null 2>&1 || missing="$missing cmake"
if [ -n "$missing" ]; then
    if [ "$(id -u)" -eq 0 ]; then root=""; else root="sudo"; fi
    $root apt-get update -qq
    # shellcheck disable=SC2086 # the names are to be parted
    $root apt-get install -y -qq $missing
fi
unset missing
