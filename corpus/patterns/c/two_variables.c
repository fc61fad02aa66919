//! what: two variables belong together and are written one after the other
//! finding: assertion
#include "crowd.h"

static atomic_long name, length;

static void *writer(void *number)
{
    atomic_store(&name, (long)number);
    atomic_store(&length, (long)number);
    return NULL;
}

static void *reader(void *unused)
{
    if (atomic_load(&name) != 0)
        raddle_assert(atomic_load(&length) != 0);
    return unused;
}

int main(void)
{
    for (long i = 1; i < N; i++)
        start(writer, i);
    start(reader, 0);
    join_all();
    return 0;
}
