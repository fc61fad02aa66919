//! what: a text that is printed by a function that checks its format, and written by another thread meanwhile
//! verdict: failed
//! finding: data-race
//! cflags: -O2 -D_FORTIFY_SOURCE=2
//! isolation: inline
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char name[32] = "nobody";

static void *show(void *unused) {
    printf("it is %s (%d)\n", name, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, show, 0);
    strcpy(name, "somebody");
    pthread_join(thread, 0);
    return 0;
}
