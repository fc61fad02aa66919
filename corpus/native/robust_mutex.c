//! what: a thread ends with a robust mutex; the next one is told, and repairs it. An unrepaired one cannot be taken any more
//! verdict: exhausted
//! runs: optimal-dpor 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *take(void *unused)
{
    pthread_mutex_lock(&lock);
    return unused;
}

static void end_with_the_lock(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, take, NULL);
    pthread_join(thread, NULL);
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);

    end_with_the_lock();
    assert(pthread_mutex_lock(&lock) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);

    end_with_the_lock();
    assert(pthread_mutex_lock(&lock) == EOWNERDEAD);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
    return 0;
}
