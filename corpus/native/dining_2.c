//! what: 2 philosophers eat twice each, the last one left-handed: no deadlock, 6 traces
//! verdict: exhausted
//! runs: optimal-dpor 6
//! blocked: optimal-dpor 0
#define PHILOSOPHERS 2
#include "shared/dining.h"
