//! what: 2 threads × 5 critical sections on one lock: 10! / (5!)^2 = 252 traces
//! verdict: exhausted
//! runs: optimal-dpor 252
//! blocked: optimal-dpor 0
#define THREADS 2
#define SECTIONS 5
#include "shared/sections.h"
