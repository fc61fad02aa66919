//! what: the File System with 18 threads: 32 traces
//! verdict: exhausted
//! runs: optimal-dpor 32
//! blocked: optimal-dpor 0
#define THREADS 18
#include "shared/file_system.h"
