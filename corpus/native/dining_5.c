//! what: 5 philosophers eat twice each, the last one left-handed: no deadlock, 5,730 traces
//! verdict: exhausted
//! runs: optimal-dpor 5730
//! blocked: optimal-dpor 0
#define PHILOSOPHERS 5
#include "shared/dining.h"
