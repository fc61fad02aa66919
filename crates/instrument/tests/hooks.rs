//! What instrumented code tells the runtime: exactly which hooks, in which order, with which values and places.

mod support;

use support::trace;

/// At both levels the same is told: the optimiser must not take away what the source does.
fn expect(name: &str, source: &str, told: &str) {
    for level in ["-O0", "-O2"] {
        let seen = trace(&format!("{name}{level}"), &format!("{level} -w -latomic"), source);
        let seen: String = seen.split_inclusive([' ', '\n']).map(without_address).collect();
        assert_eq!(seen, told, "{name} {level}");
    }
}

/// Where things lie differs from run to run. Addresses of programs and libraries have fourteen or fifteen digits.
fn without_address(word: &str) -> &str {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 14 || digits == 15 { "address " } else { word }
}

#[test]
fn plain_accesses_are_told_with_values_and_columns() {
    expect(
        "plain",
        "int x = 4; double d; char c;\nint main(void) {\n  x += 3;\n  d = 1.5;\n  c = x;\n  return 0;\n}\n",
        "read 4 | it.c:3:5 main `x`\n\
         write 4 = 7 | it.c:3:5 main `x`\n\
         write 8 = 4609434218613702656 | it.c:4:5 main `d`\n\
         read 4 | it.c:5:7 main `x`\n\
         write 1 = 7 | it.c:5:5 main `c`\n",
    );
}

#[test]
fn an_access_that_the_optimiser_would_leave_out_is_told() {
    expect(
        "redundant",
        "int x;\nint main(void) {\n  x = 1;\n  x = 2;\n  int a = x;\n  int b = x;\n  return a - b;\n}\n",
        "write 4 = 1 | it.c:3:5 main `x`\n\
         write 4 = 2 | it.c:4:5 main `x`\n\
         read 4 | it.c:5:11 main `x`\n\
         read 4 | it.c:6:11 main `x`\n",
    );
}

#[test]
fn local_variables_and_constants_are_not_told() {
    expect(
        "private",
        "static const int primes[] = {2, 3, 5};\nint main(int n, char **v) {\n  int a[3] = {1, 2, 3}, s = 0;\n  for (int i = 0; i < 3; i++) s += a[i] * primes[i];\n  return s - 23;\n}\n",
        "",
    );
}

#[test]
fn a_local_variable_whose_address_is_given_away_is_told() {
    expect(
        "escaped",
        "void set(int *p) {\n  *p = 3;\n}\nvoid (*volatile how)(int *) = set;\nint main(void) {\n  int x;\n  how(&x);\n  return x - 3;\n}\n",
        "load 8 order 0 | it.c:7:3 main `how`\n\
         write 4 = 3 | it.c:2:6 set `*p`\n\
         read 4 | it.c:8:10 main `x`\n",
    );
}

#[test]
fn atomics_are_told_with_their_orders() {
    expect(
        "atomics",
        "#include <stdatomic.h>\natomic_int a;\nvolatile int v;\nint main(void) {\n\
         \x20 atomic_store_explicit(&a, 1, memory_order_release);\n\
         \x20 int x = atomic_load_explicit(&a, memory_order_acquire);\n\
         \x20 atomic_fetch_add(&a, 2);\n\
         \x20 atomic_fetch_xor_explicit(&a, 3, memory_order_relaxed);\n\
         \x20 atomic_exchange_explicit(&a, 5, memory_order_acq_rel);\n\
         \x20 atomic_compare_exchange_strong_explicit(&a, &x, 6, memory_order_acq_rel, memory_order_relaxed);\n\
         \x20 atomic_thread_fence(memory_order_seq_cst);\n\
         \x20 atomic_signal_fence(memory_order_seq_cst);\n\
         \x20 v = 7;\n\
         \x20 return v - 7;\n}\n",
        "store 4 = 1 order 3 | it.c:5:3 main `a`\n\
         load 4 order 2 | it.c:6:11 main `a`\n\
         rmw 4 operation 1 with 2 order 5 | it.c:7:3 main `a`\n\
         rmw 4 operation 6 with 3 order 0 | it.c:8:3 main `a`\n\
         rmw 4 operation 0 with 5 order 4 | it.c:9:3 main `a`\n\
         compare-exchange 4 from 1 to 6 weak 0 orders 4 0 | it.c:10:3 main `a`\n\
         fence order 5 | it.c:11:3 main\n\
         store 4 = 7 order 0 | it.c:13:5 main `v`\n\
         load 4 order 0 | it.c:14:10 main `v`\n",
    );
}

#[test]
fn atomics_of_the_library_are_told() {
    expect(
        "large",
        "struct three { char c[3]; };\n_Atomic struct three a;\n_Atomic struct { long x[3]; } b;\nint main(void) {\n\
         \x20 struct three t = a;\n\
         \x20 b = b;\n\
         \x20 return t.c[0];\n}\n",
        "load 4 order 5 | it.c:5:20 main `a`\n\
         load 24 order 5 | it.c:6:7 main `b`\n\
         store 24 = 0 order 5 | it.c:6:5 main `b`\n",
    );
}

#[test]
fn copies_and_fills_are_told_with_their_sizes() {
    expect(
        "copies",
        "#include <string.h>\nstruct { int a[10]; } x, y;\nchar text[8];\nint main(void) {\n\
         \x20 x = y;\n\
         \x20 memset(&y, 1, 20);\n\
         \x20 memcpy(text, \"hello\", 6);\n\
         \x20 memmove(text, text + 1, 4);\n\
         \x20 return memcmp(text, \"ello\", 4);\n}\n",
        "copy 40 | it.c:5:7 main `x`\n\
         fill 20 with 1 | it.c:6:3 main `y`\n\
         copy 6 | it.c:7:3 main `text`\n\
         copy 4 | it.c:8:3 main `text`\n\
         read 4 | it.c:9:10 main `text`\n",
    );
}

#[test]
fn places_have_the_names_of_the_source() {
    expect(
        "names",
        "struct node { int value; struct node *next; struct { int low, high; } range; };\n\
         struct node first, second; struct node *head = &first; int fork_[4], i = 2;\nint main(void) {\n\
         \x20 head->next = &second;\n\
         \x20 head->next->range.high = 1;\n\
         \x20 second.next = head;\n\
         \x20 fork_[3] = 1;\n\
         \x20 fork_[i] = 2;\n\
         \x20 return 0;\n}\n",
        "read 8 | it.c:4:3 main `head`\n\
         write 8 = address | it.c:4:14 main `head->next`\n\
         read 8 | it.c:5:3 main `head`\n\
         read 8 | it.c:5:9 main `head->next`\n\
         write 4 = 1 | it.c:5:26 main `head->next->range.high`\n\
         read 8 | it.c:6:17 main `head`\n\
         write 8 = address | it.c:6:15 main `second.next`\n\
         write 4 = 1 | it.c:7:12 main `fork_[3]`\n\
         read 4 | it.c:8:9 main `i`\n\
         write 4 = 2 | it.c:8:12 main `fork_[i]`\n",
    );
}

#[test]
fn the_calls_that_led_to_a_place_are_known() {
    expect(
        "calls",
        "void print_calls(void);\nint shared;\nstatic int pure(int n) { return n < 2 ? n : pure(n - 1) + pure(n - 2); }\n\
         static void inner(void) { shared = pure(5); print_calls(); }\n\
         static void outer(void) {\n  inner();\n}\nint main(void) {\n  outer();\n  print_calls();\n  return 0;\n}\n",
        "write 4 = 5 | it.c:4:34 inner `shared`\n\
         call | it.c:4:45 inner `print_calls`\n\
         call | it.c:6:3 outer `inner`\n\
         call | it.c:9:3 main `outer`\n\
         call | it.c:10:3 main `print_calls`\n",
    );
}

#[test]
fn the_calls_are_right_after_a_leap_and_after_an_exception() {
    expect(
        "leaps",
        "#include <csetjmp>\nextern \"C\" void print_calls();\nstatic std::jmp_buf back;\n\
         static void leap(int n) { if (n) leap(n - 1); else std::longjmp(back, 1); }\n\
         static void fail(int n) { if (n) fail(n - 1); else throw n; }\n\
         int main() {\n\
         \x20 if (!setjmp(back)) leap(3); else print_calls();\n\
         \x20 try { fail(3); } catch (int) { print_calls(); }\n\
         \x20 return 0;\n}\n",
        "call | it.cpp:7:36 main `print_calls`\n\
         write 4 = 0 | it.cpp:5:52 fail\n\
         read 4 | it.cpp:8:18 main\n\
         call | it.cpp:8:34 main `print_calls`\n",
    );
}

#[test]
fn thread_local_variables_are_moved_and_allocation_is_renamed() {
    expect(
        "locals",
        "#include <stdlib.h>\nstatic _Thread_local int mine = 5; _Thread_local long yours;\nint main(void) {\n\
         \x20 mine++;\n\
         \x20 yours = mine;\n\
         \x20 free(malloc(3));\n\
         \x20 return mine - 6;\n}\n",
        "thread-local 1: 4 bytes, alignment 4, initialised\n\
         thread-local 2: 8 bytes, alignment 8\n\
         write 8 = 6 | it.c:5:9 main `yours`\n\
         malloc 3\nfree\n",
    );
}

#[test]
fn functions_with_an_atomic_name_are_bracketed() {
    expect(
        "bracketed",
        "int x;\nvoid __VERIFIER_atomic_add(int n) {\n  if (n == 0) return;\n  x = n;\n}\nint main(void) {\n\
         \x20 __VERIFIER_atomic_add(0);\n  __VERIFIER_atomic_add(2);\n  return 0;\n}\n",
        "atomic begin\natomic end\natomic begin\nwrite 4 = 2 | it.c:4:5 __VERIFIER_atomic_add `x`\natomic end\n",
    );
}

#[test]
fn functions_of_cpp_have_the_names_of_the_source() {
    expect(
        "cpp-names",
        "#include <cstdio>\nnamespace bank {\ntemplate <class T> struct Queue {\n  T last;\n  void push(T t) { last = t; }\n};\n\
         static Queue<int> queue;\nstatic int total;\n}\nint main() {\n  bank::queue.push(3);\n\
         \x20 auto add = [](int n) { bank::total += n; };\n  add(4);\n  return 0;\n}\n",
        "write 4 = 3 | it.cpp:5:25 bank::Queue<int>::push `this->last`\n\
         read 4 | it.cpp:12:38 main::lambda::operator() `bank::total`\n\
         write 4 = 4 | it.cpp:12:38 main::lambda::operator() `bank::total`\n",
    );
}

#[test]
fn assembly_is_told_by_its_operands() {
    expect(
        "assembly",
        "long x = 5, y;\nint main(void) {\n  long out;\n\
         \x20 asm volatile(\"lock xaddq %0, %1\" : \"=r\"(out), \"+m\"(x) : \"0\"(7l) : \"memory\");\n\
         \x20 asm volatile(\"movq $3, %0\" : \"=m\"(y));\n\
         \x20 asm volatile(\"mfence\" ::: \"memory\");\n\
         \x20 asm volatile(\"\" ::: \"memory\");\n\
         \x20 return x - 12;\n}\n",
        "rmw 8 operation 11 with 0 order 5 | it.c:4:3 main `x`\n\
         rmw 8 operation 11 with 0 order 3 | it.c:5:3 main `y`\n\
         fence order 5 | it.c:6:3 main\n\
         read 8 | it.c:8:10 main `x`\n",
    );
}
