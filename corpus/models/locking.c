/* Locking: every access to shared memory is protected by one lock. Each of FULL threads writes its number in its first
   section and reads the cell in the second; MORE threads have one section, in which they write. */
#include "threads.h"

#ifndef FULL
#define FULL 4
#endif
#ifndef MORE
#define MORE 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long shared;

static void body(int number) {
    pthread_mutex_lock(&lock);
    atomic_store(&shared, number);
    pthread_mutex_unlock(&lock);
    if (number < FULL) {
        pthread_mutex_lock(&lock);
        (void)atomic_load(&shared);
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    run_all(FULL + MORE);
}
