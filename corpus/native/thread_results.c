//! what: join hands over what a thread returned or gave to pthread_exit; pthread_self and pthread_equal agree with it
//! verdict: exhausted
//! runs: optimal-dpor 1
#include <assert.h>
#include <pthread.h>

static pthread_t seen;

static void *returns(void *number)
{
    seen = pthread_self();
    return number;
}

static void *exits(void *number)
{
    pthread_exit(number);
}

int main(void)
{
    pthread_t a, b;
    void *result;
    pthread_create(&a, NULL, returns, (void *)3L);
    pthread_join(a, &result);
    assert(result == (void *)3L);
    assert(pthread_equal(seen, a) && !pthread_equal(seen, pthread_self()));
    pthread_create(&b, NULL, exits, (void *)4L);
    pthread_join(b, &result);
    assert(result == (void *)4L);
    return 0;
}
