//! what: the File System with 14 threads: 2 traces
//! verdict: exhausted
//! runs: optimal-dpor 2
//! blocked: optimal-dpor 0
#define THREADS 14
#include "shared/file_system.h"
