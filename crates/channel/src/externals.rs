//! Functions of the system's libraries that keep no state between runs, as far as a program can tell.
//!
//! A program that calls only these can be run again and again in one process: what its runs leave behind lies in its own
//! memory, which is put back. Any other function makes the supervisor choose a process per run.

/// Whether the function keeps nothing that a later run could see.
///
/// Functions that the runtime answers itself (threads, locks, allocation, time, `rand`) count among them, and so do
/// those that only write to standard output: its buffer is emptied between runs.
#[must_use]
pub fn keeps_no_state(name: &str) -> bool {
    let plain = name.strip_prefix("__raddle_").or_else(|| name.strip_prefix("__VERIFIER_")).is_some();
    plain
        || STATELESS.binary_search(&name).is_ok()
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || is_arithmetic_of_clang(name)
        || uses_streams(name)
}

/// Whether the function or variable belongs to the streams of the C++ library that go to memory or to the terminal. What they
/// keep (flags, widths, what they are tied to, counts of references to locales) lies in that library's static memory, which
/// is put back before each run of a program that uses one of these. Files, and what changes the C library as well
/// (`sync_with_stdio`, `locale::global`), are not among them.
#[must_use]
pub fn uses_streams(name: &str) -> bool {
    STREAMS.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether the function keeps nothing outside the program's memory even from one step of a run to the next, so that a run can
/// go on from the middle of another one.
#[must_use]
pub fn can_be_put_back(name: &str) -> bool {
    // Those give out memory of the C library, call the program while they hold some, or count along by themselves.
    const KEEPS: [&str; 10] = [
        "__cxa_demangle",
        "arc4random",
        "arc4random_buf",
        "arc4random_uniform",
        "getentropy",
        "getopt",
        "getopt_long",
        "getrandom",
        "qsort",
        "qsort_r",
    ];
    keeps_no_state(name) && KEEPS.binary_search(&name).is_err()
}

/// Whether the function learns nothing from the program's memory that the program could act on: what it does with memory is
/// seen, or has no consequence for what the program does next.
#[must_use]
pub fn learns_nothing(name: &str) -> bool {
    let families = [
        "pthread_",
        "sem_",
        "mtx_",
        "cnd_",
        "thrd_",
        "raddle_",
        "llvm.",
        "__raddle_",
        "__VERIFIER_",
        "__atomic_",
    ];
    let single = [
        "__assert_fail",
        "_exit",
        "abort",
        "calloc",
        "exit",
        "fflush",
        "fprintf",
        "fputs",
        "free",
        "malloc",
        "printf",
        "putchar",
        "puts",
        "rand",
        "reach_error",
        "realloc",
        "sched_yield",
        "sleep",
        "srand",
        "usleep",
    ];
    families.iter().any(|family| name.starts_with(family)) || single.contains(&name)
}

/// Helpers that the compiler calls for arithmetic that the machine lacks, such as `__divti3`.
fn is_arithmetic_of_clang(name: &str) -> bool {
    name.starts_with("__")
        && ["ti3", "ti4", "ti2", "di3", "sf2", "df2", "tf2", "tf3"].iter().any(|end| name.ends_with(end))
}

/// Families of which every member belongs here.
const PREFIXES: &[&str] = &[
    "pthread_",
    "sem_",
    "mtx_",
    "cnd_",
    "thrd_",
    "tss_",
    "raddle_",
    "llvm.",
    "__atomic_",
    "__sync_",
    "_ZNSt6thread",
    "_ZNSt5mutex",
    "_ZNSt18condition_variable",
    "_ZSt9terminate",
    "_ZSt11_Hash_bytes",
    "_ZSt20__throw",
    "_ZSt17__throw",
    "_ZSt19__throw",
    "_ZSt16__throw",
    "_ZSt21__throw",
    "_ZSt24__throw",
    "_ZSt25__throw",
    "_ZSt28__throw",
    "_ZNSt8__detail15_List_node_base",
    "_ZSt18_Rb_tree_",
    "_ZSt28_Rb_tree_",
    "_ZSt29_Rb_tree_",
    "_ZNSt7__cxx1112basic_string",
    "_ZNKSt7__cxx1112basic_string",
    "_ZNSt9exception",
    "_ZNKSt9exception",
    "_ZNSt13runtime_error",
    "_ZNSt11logic_error",
    "_ZNSt15__exception_ptr",
    "_ZTV",
    "_ZTI",
    "_ZTS",
    "_ZNSt16invalid_argument",
    "_ZNSt12out_of_range",
    "_ZNSt12length_error",
    "_ZNSt12domain_error",
    "_ZNSt8bad_cast",
    "_ZNSt9bad_alloc",
    "_ZSt15get_new_handler",
    "_ZSt17rethrow_exception",
    "_ZSt17current_exception",
    "_ZNKSt13runtime_error",
    "_ZNKSt11logic_error",
    "_ZNSt12system_error",
    "_ZNSt3_V2",
    "_ZNSt28__atomic_futex",
    "_ZNSt13__future_base",
    "_ZNSt12future_error",
    "_ZSt15future_category",
    // Checks of the C++ library, allocators without state, clocks that ask ours, and including <iostream> alone.
    "_ZSt21__glibcxx_assert_fail",
    "_ZNSaI",
    "_ZNSt6chrono3_V2",
    "_ZSt18uncaught_exception",
    "_ZSt19uncaught_exceptions",
    "__cxa_init_primary_exception",
    "_ZNSt8ios_base4Init",
];

/// Families of [`uses_streams`].
#[rustfmt::skip]
const STREAMS: &[&str] = &[
    "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt3cin", "_ZSt5wcout", "_ZSt5wcerr",
    // Streams, their states and buffers.
    "_ZNSo", "_ZNSi", "_ZNSd", "_ZNKSo", "_ZNKSi", "_ZNSt9basic_iosIc", "_ZNKSt9basic_iosIc", "_ZNSt8ios_baseC",
    "_ZNSt8ios_baseD", "_ZNSt15basic_streambufIc", "_ZNKSt15basic_streambufIc",
    "_ZNSt7__cxx1118basic_stringstream", "_ZNKSt7__cxx1118basic_stringstream",
    "_ZNSt7__cxx1119basic_ostringstream", "_ZNKSt7__cxx1119basic_ostringstream",
    "_ZNSt7__cxx1119basic_istringstream", "_ZNKSt7__cxx1119basic_istringstream",
    "_ZNSt7__cxx1115basic_stringbuf", "_ZNKSt7__cxx1115basic_stringbuf", "_ZTT",
    // Operators, manipulators and what they call.
    "_ZStls", "_ZStrs", "_ZSt16__ostream_insert", "_ZSt4endl", "_ZSt4ends", "_ZSt5flush", "_ZSt2ws", "_ZSt7getline",
    "_ZNSt6localeC", "_ZNSt6localeD", "_ZNKSt5ctypeIcE", "_ZSt9use_facetISt5ctypeIc",
];

/// Sorted.
#[rustfmt::skip]
const STATELESS: &[&str] = &[
    "_Exit", "_GLOBAL_OFFSET_TABLE_", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "_Unwind_Resume",
    "_ZSt11__once_call", "_ZSt15__once_callable", "_ZdaPv", "_ZdaPvRKSt9nothrow_t", "_ZdaPvSt11align_val_t",
    "_ZdaPvm", "_ZdaPvmSt11align_val_t", "_ZdlPv", "_ZdlPvRKSt9nothrow_t", "_ZdlPvSt11align_val_t", "_ZdlPvm",
    "_ZdlPvmSt11align_val_t", "_Znam", "_ZnamRKSt9nothrow_t", "_ZnamSt11align_val_t", "_Znwm", "_ZnwmRKSt9nothrow_t",
    "_ZnwmSt11align_val_t", "__assert", "__assert_fail", "__assert_perror_fail", "__ctype_b_loc",
    "__ctype_tolower_loc", "__ctype_toupper_loc", "__cxa_allocate_exception", "__cxa_atexit", "__cxa_bad_cast",
    "__cxa_bad_typeid", "__cxa_begin_catch", "__cxa_call_terminate", "__cxa_call_unexpected",
    "__cxa_current_exception_type", "__cxa_deleted_virtual", "__cxa_demangle", "__cxa_end_catch", "__cxa_finalize",
    "__cxa_free_exception", "__cxa_get_exception_ptr", "__cxa_guard_abort", "__cxa_guard_acquire",
    "__cxa_guard_release", "__cxa_pure_virtual", "__cxa_rethrow", "__cxa_thread_atexit", "__cxa_throw",
    "__cxa_throw_bad_array_new_length", "__dso_handle", "__dynamic_cast", "__environ", "__errno_location",
    "__fprintf_chk", "__gmon_start__", "__gxx_personality_v0", "__isoc23_sscanf", "__isoc23_strtol",
    "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull", "__isoc99_sscanf", "__libc_start_main",
    "__longjmp_chk", "__memcpy_chk", "__memmove_chk", "__memset_chk", "__once_proxy", "__printf_chk", "__sigsetjmp",
    "__snprintf_chk", "__sprintf_chk", "__stack_chk_fail", "__stack_chk_guard", "__strcat_chk", "__strcpy_chk",
    "__strncpy_chk", "__tls_get_addr", "__vfprintf_chk", "__vprintf_chk", "__vsnprintf_chk", "__xpg_strerror_r",
    "_exit", "_longjmp", "_setjmp", "abort", "abs", "acos", "acosh", "aligned_alloc", "arc4random",
    "arc4random_buf", "arc4random_uniform", "asin", "asinh", "assert", "at_quick_exit", "atan", "atan2", "atanh", "atexit", "atof",
    "atoi", "atol", "atoll", "bcmp", "bcopy", "bsearch", "bzero", "call_once", "calloc", "cbrt", "ceil", "ceilf",
    "ceill", "clock", "clock_getres", "clock_gettime", "clock_nanosleep", "copysign", "cos", "cosf", "cosh",
    "difftime", "div", "dprintf", "drand48", "environ", "erand48", "erf", "erfc", "exit", "exp", "exp2", "expf",
    "explicit_bzero", "expm1", "fabs", "fabsf", "fabsl", "fdim", "fflush", "ffs", "ffsl", "ffsll", "floor", "floorf",
    "floorl", "fma", "fmax", "fmaxf", "fmin", "fminf", "fmod", "fmodf", "fprintf", "fputc", "fputs", "fputs_unlocked",
    "free", "frexp", "fwrite", "fwrite_unlocked", "get_nprocs", "getentropy", "getenv", "getopt", "getopt_long", "getpagesize",
    "getpid", "getppid", "getrandom", "gettid", "gettimeofday", "gmtime_r", "htonl", "htons", "hypot", "ilogb", "imaxabs",
    "imaxdiv", "index", "inet_addr", "inet_aton", "inet_ntop", "inet_pton", "isalnum", "isalpha", "isblank",
    "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit", "labs",
    "ldexp", "ldiv", "lgamma", "llabs", "lldiv", "llrint", "llround", "localtime_r", "log", "log10", "log1p", "log2",
    "logb", "logf", "longjmp", "lrand48", "lrint", "lround", "main", "malloc", "malloc_usable_size", "memalign",
    "memccpy", "memchr", "memcmp", "memcpy", "memmem", "memmove", "mempcpy", "memrchr", "memset", "mktime", "modf",
    "mrand48", "nan", "nanosleep", "nearbyint", "nproc", "ntohl", "ntohs", "optarg", "opterr", "optind", "optopt",
    "perror", "posix_memalign", "pow", "powf", "powl", "printf", "program_invocation_name",
    "program_invocation_short_name", "putc", "putc_unlocked", "putchar", "putchar_unlocked", "puts", "qsort",
    "qsort_r", "quick_exit", "rand", "rand_r", "random", "rawmemchr", "reach_error", "realloc", "reallocarray",
    "remainder", "rindex", "rint", "round", "roundf", "scalbn", "sched_getcpu", "sched_yield", "secure_getenv",
    "setjmp", "siglongjmp", "sigsetjmp", "sin", "sinf", "sinh", "sleep", "snprintf", "sprintf", "sqrt", "sqrtf",
    "sqrtl", "srand", "srand48", "srandom", "sscanf", "stderr", "stdin", "stdout", "stpcpy", "stpncpy", "strcasecmp",
    "strcasestr", "strcat", "strchr", "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror_r",
    "strftime", "strlcat", "strlcpy", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen",
    "strpbrk", "strrchr", "strsep", "strspn", "strstr", "strtod", "strtof", "strtoimax", "strtok_r", "strtol",
    "strtold", "strtoll", "strtoul", "strtoull", "strtoumax", "strxfrm", "swab", "syscall", "sysconf", "tan", "tanf",
    "tanh", "tgamma", "time", "timegm", "times", "tolower", "toupper", "trunc", "truncf", "usleep", "valloc",
    "vfprintf", "vprintf", "vsnprintf", "vsprintf", "vsscanf", "write",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(STATELESS.is_sorted());
    }

    #[test]
    fn what_the_runtime_answers_keeps_no_state_and_files_do() {
        for name in [
            "pthread_mutex_lock",
            "printf",
            "malloc",
            "__raddle_malloc",
            "_Znwm",
            "sem_post",
            "rand",
            "__udivti3",
            "_ZSt4cout",
            "_ZNSolsEi",
        ] {
            assert!(keeps_no_state(name), "{name}");
        }
        for name in [
            "fopen",
            "strtok",
            "setlocale",
            "signal",
            "fork",
            "mmap",
            "sqlite3_open",
            "_ZNSt8ios_base15sync_with_stdioEb",
            "_ZNSt6locale6globalERKS_",
            "_ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1Ev",
        ] {
            assert!(!keeps_no_state(name), "{name}");
        }
    }
}
