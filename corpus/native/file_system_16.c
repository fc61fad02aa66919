//! what: the File System with 16 threads: 8 traces
//! verdict: exhausted
//! runs: optimal-dpor 8
//! blocked: optimal-dpor 0
#define THREADS 16
#include "shared/file_system.h"
