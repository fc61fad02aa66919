//! what: try and timed forms of a read-write lock answer EBUSY or ETIMEDOUT and never break what the lock protects
//! verdict: exhausted
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *writer(void *unused)
{
    int got = pthread_rwlock_trywrlock(&lock);
    assert(got == 0 || got == EBUSY);
    if (got == 0) {
        value = 1;
        value = 2;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

static void *reader(void *unused)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    int got = pthread_rwlock_timedrdlock(&lock, &until);
    assert(got == 0 || got == ETIMEDOUT);
    if (got == 0) {
        assert(value != 1);
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int got = pthread_rwlock_tryrdlock(&lock);
    assert(got == 0);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_destroy(&lock);
    return 0;
}
