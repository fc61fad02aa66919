// Dekker's algorithm: two threads enter a critical section, K times each.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef K
#define K 2
#endif

static atomic_int wants[2], turn;
static int inside;

static void *enter(void *argument) {
    int me = (int)(long)argument, other = 1 - me;
    for (int k = 0; k < K; k++) {
        atomic_store(&wants[me], 1);
        while (atomic_load(&wants[other])) {
            if (atomic_load(&turn) == me) {
                sched_yield();
                continue;
            }
            atomic_store(&wants[me], 0);
            while (atomic_load(&turn) != me)
                sched_yield();
            atomic_store(&wants[me], 1);
        }
        inside++;
        atomic_store(&turn, other);
        atomic_store(&wants[me], 0);
    }
    return 0;
}

int main(void) {
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], 0, enter, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], 0);
    return inside != 2 * K;
}
