//! what: the Indexer with 14 threads: 512 traces
//! verdict: exhausted
//! runs: optimal-dpor 512
//! blocked: optimal-dpor 0
#define THREADS 14
#include "shared/indexer.h"
