//! what: 5 writers of one variable: 5! = 120 traces
//! verdict: exhausted
//! runs: optimal-dpor 120
//! blocked: optimal-dpor 0
#define WRITERS 5
#include "shared/writers.h"
