//! what: 3 threads × 2 critical sections on one lock: 6! / (2!)^3 = 90 traces
//! verdict: exhausted
//! runs: optimal-dpor 90
//! blocked: optimal-dpor 0
#define THREADS 3
#define SECTIONS 2
#include "shared/sections.h"
