//! what: a thread unlocks a normal mutex that another one holds
//! verdict: failed
//! finding: misuse at 10
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *stranger(void *unused)
{
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, stranger, NULL);
    pthread_join(thread, NULL);
    return 0;
}
