//! what: a waiter that looks at the condition under the lock and waits in a loop misses nothing; 2 traces, by who is first
//! verdict: exhausted
//! runs: optimal-dpor 2
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool done;

static void *signaller(void *unused)
{
    pthread_mutex_lock(&lock);
    done = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, signaller, NULL);
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&changed, &lock);
    assert(done);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
