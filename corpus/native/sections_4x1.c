//! what: 4 threads × 1 critical sections on one lock: 4! / (1!)^4 = 24 traces
//! verdict: exhausted
//! runs: optimal-dpor 24
//! blocked: optimal-dpor 0
#define THREADS 4
#define SECTIONS 1
#include "shared/sections.h"
