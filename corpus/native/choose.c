//! what: raddle_choose(n) is tried with all its n answers: 3 × 2 runs
//! verdict: exhausted
//! runs: optimal-dpor 6
#include "raddle.h"

int main(void)
{
    unsigned x = raddle_choose(3), y = raddle_choose(2);
    raddle_assert(x < 3 && y < 2);
    return 0;
}
