//! what: an error-checking mutex answers EDEADLK to its holder and EPERM to who does not hold it, instead of blocking
//! verdict: exhausted
//! runs: optimal-dpor 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *work(void *unused)
{
    int unlocked = pthread_mutex_unlock(&lock);
    assert(unlocked == EPERM);
    int locked = pthread_mutex_lock(&lock);
    assert(locked == 0);
    locked = pthread_mutex_lock(&lock);
    assert(locked == EDEADLK);
    unlocked = pthread_mutex_unlock(&lock);
    assert(unlocked == 0);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);
    pthread_t a;
    pthread_create(&a, NULL, work, NULL);
    pthread_join(a, NULL);
    work(NULL);
    return 0;
}
