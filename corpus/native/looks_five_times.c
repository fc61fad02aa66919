//! what: a thread that gives way between its looks, and counts them, may see the flag at any of them or never
//! verdict: failed
//! finding: assertion at 26
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready;

static void *make_ready(void *unused)
{
    atomic_store(&ready, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, make_ready, NULL);
    int looks = 0;
    while (!atomic_load(&ready) && looks < 6) {
        looks++;
        sched_yield();
    }
    assert(looks != 5);
    pthread_join(thread, NULL);
    return 0;
}
