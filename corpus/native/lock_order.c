//! what: one thread takes a then b, the other b then a: each can hold what the other wants
//! verdict: failed
//! finding: deadlock
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forwards(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *backwards(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, forwards, NULL);
    pthread_create(&other, NULL, backwards, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
