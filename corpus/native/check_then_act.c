//! what: two customers see the last seat free and both take it, because looking and taking are two steps
//! verdict: failed
//! finding: assertion at 24
#include <pthread.h>
#include <stdatomic.h>
#include "raddle.h"

static atomic_int seats = 1;

static void *book(void *unused)
{
    if (atomic_load(&seats) > 0)
        atomic_fetch_sub(&seats, 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, book, NULL);
    pthread_create(&b, NULL, book, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raddle_assert(seats >= 0);
    return 0;
}
