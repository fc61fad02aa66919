//! what: the Indexer with 12 threads: 8 traces
//! verdict: exhausted
//! runs: optimal-dpor 8
//! blocked: optimal-dpor 0
#define THREADS 12
#include "shared/indexer.h"
