//! what: reading and writing back happen in two critical sections, and another thread gets in between
//! verdict: failed
//! finding: assertion at 28
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    int seen = sum;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    sum = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sum == 2);
    return 0;
}
