// Two threads add each other's number to their own, K times; main reads both while they run (EARLY) or afterwards.
#include <pthread.h>
#include <stdatomic.h>

#ifndef K
#define K 5
#endif

static atomic_int i = 1, j = 1;

static void *first(void *argument) {
    for (int k = 0; k < K; k++)
        atomic_store(&i, atomic_load(&i) + atomic_load(&j));
    return argument;
}

static void *second(void *argument) {
    for (int k = 0; k < K; k++)
        atomic_store(&j, atomic_load(&j) + atomic_load(&i));
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
#ifndef EARLY
    pthread_join(a, 0);
    pthread_join(b, 0);
#endif
    int seen_i = atomic_load(&i), seen_j = atomic_load(&j);
#ifdef EARLY
    pthread_join(a, 0);
    pthread_join(b, 0);
#endif
    return seen_i + seen_j > 1000000;
}
