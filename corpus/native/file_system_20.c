//! what: the File System with 20 threads: 128 traces
//! verdict: exhausted
//! runs: optimal-dpor 128
//! blocked: optimal-dpor 0
#define THREADS 20
#include "shared/file_system.h"
