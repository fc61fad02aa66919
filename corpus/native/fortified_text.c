//! what: two threads format into one buffer, by the functions that know the size of their buffers
//! verdict: failed
//! finding: data-race at 12
//! cflags: -O2 -D_FORTIFY_SOURCE=2
//! isolation: inline
#include <pthread.h>
#include <stdio.h>

static char line[32];

static void *note(void *name) {
    sprintf(line, "%s was here", (char *)name);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, note, "one");
    pthread_create(&two, 0, note, "two");
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
