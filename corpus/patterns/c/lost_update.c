//! what: a counter is read and written in two steps
//! finding: assertion
#include "crowd.h"

static atomic_int counter;

static void *add(void *unused)
{
    int value = atomic_load(&counter);
    atomic_store(&counter, value + 1);
    return unused;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        start(add, 0);
    join_all();
    raddle_assert(counter == N);
    return 0;
}
