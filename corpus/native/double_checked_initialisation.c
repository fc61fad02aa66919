//! what: the first look at the flag is a plain read without the lock, so nothing orders it with the write
//! verdict: failed
//! finding: data-race
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool initialised;
static int table;

static void *get(void *unused)
{
    if (!initialised) {
        pthread_mutex_lock(&lock);
        if (!initialised) {
            table = 42;
            initialised = true;
        }
        pthread_mutex_unlock(&lock);
    }
    return table == 42 ? unused : (void *)1;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, get, NULL);
    pthread_create(&b, NULL, get, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
