//! what: 3 threads × 3 critical sections on one lock: 9! / (3!)^3 = 1,680 traces
//! verdict: exhausted
//! runs: optimal-dpor 1680
//! blocked: optimal-dpor 0
#define THREADS 3
#define SECTIONS 3
#include "shared/sections.h"
