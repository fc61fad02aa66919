//! what: one thread has to run, whole, between two adjacent steps of another
//! finding: assertion
#include "crowd.h"

static atomic_int gate, steps;

static void *opener(void *unused)
{
    atomic_store(&gate, 1);
    atomic_store(&gate, 2);
    return unused;
}

static void *visitor(void *unused)
{
    int first = atomic_load(&gate);
    for (int i = 0; i < 2 * N; i++)
        atomic_fetch_add(&steps, 1);
    int last = atomic_load(&gate);
    raddle_assert(first != 1 || last != 1);
    return unused;
}

int main(void)
{
    fill(1);
    start(opener, 0);
    start(visitor, 0);
    join_all();
    return 0;
}
