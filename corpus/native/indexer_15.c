//! what: the Indexer with 15 threads: 4,096 traces
//! verdict: exhausted
//! runs: optimal-dpor 4096
//! blocked: optimal-dpor 0
#define THREADS 15
#include "shared/indexer.h"
