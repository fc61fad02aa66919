//! what: main leaves by pthread_exit; what was registered with atexit runs when the last thread ends, and finds what each did
//! verdict: failed
//! finding: assertion at 13
//! isolation: inline
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int done[2];

/* Both threads have ended by now, so nothing has to be locked. */
static void at_the_end(void) {
    assert(done[0] + done[1] != 2);
}

static void *work(void *argument) {
    *(int *)argument = 1;
    return 0;
}

int main(void) {
    atexit(at_the_end);
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, 0, work, &done[i]);
    pthread_exit(0);
}
