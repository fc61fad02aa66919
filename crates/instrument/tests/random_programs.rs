//! Random C programs do the same with and without instrumentation. The programs have no undefined behaviour: arithmetic is
//! unsigned, shifts and indices are masked, divisors are odd, loops are counted.

mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use raddle_instrument::driver::Language;
use support::{drive, folder, run};

/// Numbers from a seed (a linear congruence, the upper half).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Writes one program: its variables, its functions and `run_N`, which returns a checksum.
struct Generator {
    numbers: Numbers,
    number: usize,
    text: String,
}

/// What every program has, with `N` for its number.
const VARIABLES: &str = "
struct inner_N { uint16_t low; uint8_t bytes[5]; uint32_t bits : 7, rest : 19; };
struct outer_N { uint64_t key; struct inner_N in[2]; struct outer_N *next; double weight; union { uint32_t word; uint8_t parts[4]; }; };
static uint8_t b_N = 3; static uint16_t h_N = 500; static uint32_t w_N = 70000; static uint64_t l_N = 1ull << 40;
static uint32_t table_N[16]; static struct outer_N first_N, second_N; static struct outer_N *head_N = &first_N;
static _Atomic uint32_t a_N; static _Atomic uint64_t al_N = 9; static volatile uint32_t v_N = 2;
static _Thread_local uint32_t t_N = 11; static _Thread_local uint8_t tt_N[8] = {1, 2, 3};
static uint32_t *where_N[4] = {&w_N, table_N, table_N + 5, &first_N.word};
";

/// Places of a program that can be read and written.
const PLACES: &[&str] = &[
    "b_N",
    "h_N",
    "w_N",
    "l_N",
    "table_N[I & 15]",
    "first_N.key",
    "second_N.in[I & 1].low",
    "head_N->in[I & 1].bytes[I % 5]",
    "head_N->word",
    "head_N->parts[I & 3]",
    "first_N.in[1].bits",
    "second_N.in[0].rest",
    "a_N",
    "al_N",
    "v_N",
    "t_N",
    "tt_N[I & 7]",
    "*where_N[I & 3]",
    "x",
    "y",
    "local[I & 7]",
    "copy.key",
    "copy.in[I & 1].bytes[I % 5]",
    "*p",
    "p[I & 1]",
];

impl Generator {
    fn place(&mut self, depth: u32) -> String {
        let place = self.numbers.one_of(PLACES).to_owned();
        if !place.contains('I') {
            return place;
        }
        let index = format!("({})", self.expression(depth + 3));
        place.replace('I', &index)
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth > 3 {
            return if self.numbers.below(3) == 0 {
                format!("{}u", self.numbers.below(100_000))
            } else {
                "x".to_owned()
            };
        }
        let (one, other) = (depth + 1, depth + 2);
        match self.numbers.below(12) {
            0..4 => self.place(depth),
            4 => format!("{}u", self.numbers.below(1 << 31)),
            5..8 => {
                let operator = self.numbers.one_of(&["+", "-", "*", "^", "|", "&"]);
                format!("((uint64_t){} {operator} {})", self.expression(one), self.expression(other))
            }
            8 => {
                format!("((uint64_t){} / ((uint32_t){} | 1u))", self.expression(one), self.expression(other))
            }
            9 => format!("((uint64_t){} >> ({} & 31))", self.expression(one), self.expression(other)),
            10 => format!(
                "({} < {} ? {} : y)",
                self.expression(one),
                self.expression(other),
                self.expression(other)
            ),
            _ => format!("f{}_N({}, p)", self.numbers.below(2), self.expression(other)),
        }
    }

    fn statement(&mut self, depth: u32) {
        let place = self.place(1);
        match self.numbers.below(14) {
            0..5 => {
                let operator = self.numbers.one_of(&["=", "+=", "-=", "^=", "|=", "*="]);
                let value = self.expression(1);
                self.line(&format!("{place} {operator} (uint64_t){value};"));
            }
            5 => self.line(&format!("({place})++;")),
            6 if depth < 2 => {
                let condition = self.expression(2);
                self.line(&format!("if (({condition}) & 1) {{"));
                self.block(depth + 1);
                self.line("} else {");
                self.block(depth + 1);
                self.line("}");
            }
            7 if depth < 2 => {
                let name = format!("i{}", self.text.len());
                let turns = 1 + self.numbers.below(5);
                self.line(&format!("for (uint32_t {name} = 0; {name} < {turns}; {name}++) {{ y += {name};"));
                self.block(depth + 1);
                self.line("}");
            }
            8 if depth < 2 => {
                let value = self.expression(2);
                self.line(&format!("switch (({value}) % 4) {{ case 0:"));
                self.block(depth + 1);
                self.line("break; case 1:");
                self.block(depth + 1);
                self.line("default: y ^= 5; }");
            }
            9 => self.line("copy = *head_N; second_N.in[1] = copy.in[0]; head_N = head_N == &first_N ? &second_N : &first_N;"),
            10 => self.line("memcpy(table_N + 3, local, 20); memset(tt_N + 2, (int)(x & 255), 4); memmove(local, local + 1, 12);"),
            11 => {
                let value = self.expression(2);
                self.line(&format!("{{ uint32_t e = (uint32_t)({value}); y += atomic_compare_exchange_strong(&a_N, &e, x) + e; }}"));
            }
            12 => self.line("y += atomic_fetch_add(&al_N, x) ^ __sync_lock_test_and_set(&w_N, y) ^ atomic_exchange(&a_N, 3);"),
            _ => self.line("p = (x & 1) ? &table_N[x & 7] : &local[y & 3];"),
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..1 + self.numbers.below(4) {
            self.statement(depth);
        }
    }

    fn line(&mut self, text: &str) {
        let number = self.number.to_string();
        // Writing to text does not fail.
        let _ = writeln!(self.text, "  {}", text.replace("_N", &format!("_{number}")));
    }

    fn function(&mut self, name: &str) {
        self.line(&format!("static uint32_t {name}_N(uint32_t x, uint32_t *p) {{"));
        // How often functions call each other is bounded, or the programs might never end.
        self.line("static uint32_t calls; if (++calls > 300) return x ^ *p;");
        self.line("uint32_t y = x * 3, local[8] = {x, 1, 2, x}; struct outer_N copy = second_N;");
        for _ in 0..6 + self.numbers.below(8) {
            self.statement(0);
        }
        self.line("return x + y + local[3] + (uint32_t)copy.key; }");
    }

    fn program(&mut self) {
        self.line(VARIABLES);
        self.line(
            "static uint32_t f0_N(uint32_t x, uint32_t *p); static uint32_t f1_N(uint32_t x, uint32_t *p);",
        );
        self.function("f0");
        self.function("f1");
        self.line(
            "static uint64_t run_N(void) { uint64_t s = 0; uint32_t z[2] = {1, 2}; first_N.next = &second_N;",
        );
        self.line("for (uint32_t i = 0; i < 4; i++) s = s * 31 + f0_N(i, z) + f1_N(i + 7, &table_N[i]);");
        self.line("for (int i = 0; i < 16; i++) s = s * 7 + table_N[i];");
        self.line("return s + b_N + h_N + w_N + l_N + a_N + al_N + v_N + t_N + tt_N[3] + first_N.word + second_N.key + head_N->in[1].rest; }");
    }
}

/// A file with programs of consecutive numbers.
fn source(seed: u64, programs: usize) -> String {
    let mut text =
        "#include <stdatomic.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n".to_owned();
    for number in 0..programs {
        let mut generator =
            Generator { numbers: Numbers(seed * 1000 + number as u64), number, text: String::new() };
        generator.program();
        text.push_str(&generator.text);
    }
    text.push_str("int main(void) {\n");
    for number in 0..programs {
        text.push_str(&format!("  printf(\"%lx\\n\", (unsigned long)run_{number}());\n"));
    }
    text.push_str("  return 0;\n}\n");
    text
}

/// Compares what a file does when clang alone compiles it, with what it does at this level when the driver does.
fn compare(folder: &Path, seed: u64, programs: usize, level: &str) {
    let file = folder.join(format!("{seed}.c"));
    std::fs::write(&file, source(seed, programs)).expect("the folder can be written");
    let (plain, ours) = (folder.join(format!("{seed}-plain")), folder.join(format!("{seed}-ours")));
    let status = Command::new("clang-19").args(["-O0", "-w"]).arg(&file).arg("-o").arg(&plain).status();
    assert!(status.is_ok_and(|status| status.success()), "{} compiles", file.display());
    assert!(drive(Language::C, folder, &format!("-w {level} {} -o {}", file.display(), ours.display())));
    let expected = run(&plain, None);
    assert_eq!(
        String::from_utf8_lossy(&expected.stdout).lines().count(),
        programs,
        "{} ends",
        file.display()
    );
    for variable in [None, Some("STUB_ACTIVE")] {
        assert_eq!(run(&ours, variable), expected, "{} {level} {variable:?}", file.display());
    }
}

/// A hundred programs, ten in a file, at all levels of optimisation in turn.
#[test]
fn random_programs_do_the_same() {
    let folder = folder("random");
    for (seed, level) in (1..=10).zip(["-O0", "-O2", "-O1", "-O3", "-Os"].iter().cycle()) {
        compare(&folder, seed, 10, level);
    }
}
