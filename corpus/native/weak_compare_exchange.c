//! what: a weak compare-and-swap may fail for no reason; without a loop the increment can be missing
//! verdict: failed
//! finding: assertion at 13
#include <assert.h>
#include <stdatomic.h>

static atomic_int value;

int main(void)
{
    int expected = 0;
    int swapped = atomic_compare_exchange_weak(&value, &expected, 1);
    assert(swapped);
    return 0;
}
