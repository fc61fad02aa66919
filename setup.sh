# Installs what a Rust build needs from the system: a linker. Sourced by ./demo and ./test.
if ! command -v cargo >/dev/null 2>&1 && [ -f "$HOME/.cargo/env" ]; then
    . "$HOME/.cargo/env"
fi
if ! command -v cargo >/dev/null 2>&1; then
    echo "cargo was not found: install Rust 1.88 or later first (https://rustup.rs)" >&2
    exit 3
fi
if ! command -v cc >/dev/null 2>&1; then
    if [ "$(id -u)" -eq 0 ]; then root=""; else root="sudo"; fi
    $root apt-get update -qq
    $root apt-get install -y -qq gcc libc6-dev
fi
