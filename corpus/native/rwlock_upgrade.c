//! what: two readers each want to become the writer and wait for the other to stop reading
//! verdict: failed
//! finding: deadlock
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;

static void *upgrade(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    pthread_barrier_wait(&both);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&a, NULL, upgrade, NULL);
    pthread_create(&b, NULL, upgrade, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
