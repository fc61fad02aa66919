//! what: 4 philosophers eat twice each, the last one left-handed: no deadlock, 786 traces
//! verdict: exhausted
//! runs: optimal-dpor 786
//! blocked: optimal-dpor 0
#define PHILOSOPHERS 4
#include "shared/dining.h"
