//! what: two threads cut one text with strtok_r, each with a place of its own to go on from
//! verdict: failed
//! finding: data-race at 11
//! isolation: inline
#include <pthread.h>
#include <string.h>

static char text[] = "a b c d";

static void *take(void *unused) {
    char *rest, *piece = strtok_r(text, " ", &rest);
    return piece ? unused : 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, take, 0);
    pthread_create(&two, 0, take, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
