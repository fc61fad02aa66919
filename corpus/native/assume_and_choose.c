//! what: raddle_assume keeps only the inputs in order; among those the sum is bounded
//! verdict: exhausted
//! runs: optimal-dpor 9
#include "raddle.h"

int main(void)
{
    unsigned small = raddle_choose(3), large = raddle_choose(3);
    raddle_assume(small <= large);
    raddle_assert(small + large <= 2 * large);
    return 0;
}
