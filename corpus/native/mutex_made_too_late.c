//! what: the thread may take the mutex before it is initialised; that is found although it came later in the only run
//! verdict: failed
//! finding: misuse at 11
#include <pthread.h>

static pthread_mutex_t lock;
static int counter;

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    pthread_mutex_init(&lock, NULL);
    pthread_join(thread, NULL);
    return 0;
}
