//! what: the Indexer with 11 threads: 1 trace
//! verdict: exhausted
//! runs: optimal-dpor 1
//! blocked: optimal-dpor 0
#define THREADS 11
#include "shared/indexer.h"
