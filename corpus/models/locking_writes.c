/* Locking without reads: each of N threads has SECTIONS sections under one lock, in which it writes its number. */
#include "threads.h"

#ifndef N
#define N 8
#endif
#ifndef SECTIONS
#define SECTIONS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long shared;

static void body(int number) {
    for (int section = 0; section < SECTIONS; section++) {
        pthread_mutex_lock(&lock);
        atomic_store(&shared, number);
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    run_all(N);
}
