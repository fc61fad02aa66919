//! what: volatile accesses are operations, not races: a loaded and stored-back counter loses an addition
//! verdict: failed
//! finding: assertion at 23
#include <assert.h>
#include <pthread.h>

static volatile int counter;

static void *add(void *unused)
{
    int seen = counter;
    counter = seen + 1;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
