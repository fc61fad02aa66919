//! what: 4 threads × 2 critical sections on one lock: 8! / (2!)^4 = 2,520 traces
//! verdict: exhausted
//! runs: optimal-dpor 2520
//! blocked: optimal-dpor 0
#define THREADS 4
#define SECTIONS 2
#include "shared/sections.h"
