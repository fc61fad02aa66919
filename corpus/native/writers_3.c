//! what: 3 writers of one variable: 3! = 6 traces
//! verdict: exhausted
//! runs: optimal-dpor 6
//! blocked: optimal-dpor 0
#define WRITERS 3
#include "shared/writers.h"
