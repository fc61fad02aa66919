//! what: three philosophers who all take their own fork first can each hold one and wait for the next
//! verdict: failed
//! finding: deadlock
#define PHILOSOPHERS 3
#define MEALS 1
#define GREEDY
#include "shared/dining.h"
