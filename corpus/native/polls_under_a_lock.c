//! what: a thread looks again and again under a lock, and nothing in its loop says that it waits; it must not keep the lock meanwhile
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done, seen;

static void *do_it(void *unused)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, do_it, NULL);
    for (;;) {
        pthread_mutex_lock(&lock);
        seen = done;
        pthread_mutex_unlock(&lock);
        if (seen)
            break;
    }
    pthread_join(thread, NULL);
    assert(done);
    return 0;
}
