//! what: the Indexer with 13 threads: 64 traces
//! verdict: exhausted
//! runs: optimal-dpor 64
//! blocked: optimal-dpor 0
#define THREADS 13
#include "shared/indexer.h"
