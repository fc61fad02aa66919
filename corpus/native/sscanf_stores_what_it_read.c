//! what: sscanf that stops before a conversion does not touch what it was to store, so nothing races
//! verdict: exhausted
//! runs: optimal-dpor 1
//! isolation: inline
#include <pthread.h>
#include <stdio.h>

static int shared;

static void *parse(void *text) {
    int own;
    return (void *)(long)sscanf(text, "%d,%d", &own, &shared);
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, parse, "1,2");
    pthread_create(&two, 0, parse, "3;4");
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
