//! what: 3 philosophers eat twice each, the last one left-handed: no deadlock, 90 traces
//! verdict: exhausted
//! runs: optimal-dpor 90
//! blocked: optimal-dpor 0
#define PHILOSOPHERS 3
#include "shared/dining.h"
