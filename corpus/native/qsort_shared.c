//! what: one thread sorts an array, another one looks for a value in it
//! verdict: failed
//! finding: data-race
//! isolation: inline
#include <pthread.h>
#include <stdlib.h>

static int numbers[] = {4, 3, 2, 1};

static int compare(const void *one, const void *other) {
    return *(const int *)one - *(const int *)other;
}

static void *sort(void *unused) {
    qsort(numbers, 4, sizeof *numbers, compare);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sort, 0);
    int wanted = 3;
    int *found = bsearch(&wanted, numbers, 4, sizeof *numbers, compare);
    pthread_join(thread, 0);
    return found != 0 && *found != 3;
}
