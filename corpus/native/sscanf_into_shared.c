//! what: two threads let sscanf store into the same variable
//! verdict: failed
//! finding: data-race at 13
//! isolation: inline
#include <pthread.h>
#include <stdio.h>

static int shared;

static void *parse(void *text) {
    int own;
    char word[8];
    sscanf(text, "%d %7s %d", &own, word, &shared);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, parse, "1 a 2");
    pthread_create(&two, 0, parse, "3 b 4");
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
