//! what: a flag is looked at without the lock, set, and then waited for
//! finding: deadlock
#include "crowd.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *unused)
{
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *notifier(void *unused)
{
    atomic_store(&ready, 1);
    pthread_cond_signal(&changed);
    return unused;
}

int main(void)
{
    fill(2);
    start(waiter, 0);
    start(notifier, 0);
    join_all();
    return 0;
}
