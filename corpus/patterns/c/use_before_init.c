//! what: threads are started before what they use is there
//! finding: assertion
#include "crowd.h"

static atomic_int ready;

static void *user(void *unused)
{
    raddle_assert(atomic_load(&ready));
    return unused;
}

int main(void)
{
    for (int i = 1; i < N; i++)
        start(user, 0);
    atomic_store(&ready, 1);
    join_all();
    return 0;
}
