//! what: two threads try a lock once each: either one after the other, or the second finds it taken; 4 traces
//! verdict: exhausted
//! runs: optimal-dpor 4
//! blocked: optimal-dpor 0
#include <errno.h>
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *work(void *unused)
{
    int got = pthread_mutex_trylock(&lock);
    if (got == 0) {
        inside++;
        pthread_mutex_unlock(&lock);
    } else {
        assert(got == EBUSY);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(inside >= 1);
    return 0;
}
