//! what: a pointer is tested, freed by another thread, and used
//! finding: assertion
#include "crowd.h"

static atomic_int pointer;

static void *owner(void *unused)
{
    atomic_store(&pointer, 1);
    atomic_store(&pointer, 0);
    return unused;
}

static void *user(void *unused)
{
    if (atomic_load(&pointer) != 0)
        raddle_assert(atomic_load(&pointer) != 0);
    return unused;
}

int main(void)
{
    fill(2);
    start(owner, 0);
    start(user, 0);
    join_all();
    return 0;
}
