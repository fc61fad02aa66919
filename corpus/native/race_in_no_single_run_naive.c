//! what: the race needs both choices, which a model could put together without ever seeing them in one run
//! verdict: failed
//! finding: data-race
//! flags: --strategy stateful-naive
#include "shared/race_in_no_single_run.h"
