//! what: a handler that a thread registers after main has left still runs once, after both threads, in each of the two orders
//! verdict: exhausted
//! runs: optimal-dpor 2
//! isolation: inline
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int done, called;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void at_the_end(void) {
    assert(done == 2 && ++called == 1);
}

static void *work(void *argument) {
    pthread_mutex_lock(&lock);
    if (done++ == 0)
        atexit(at_the_end);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, 0, work, 0);
    pthread_exit(0);
}
