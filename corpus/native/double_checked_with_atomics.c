//! what: double-checked initialisation with an acquire look and a release store is right
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool initialised;
static int table;

static void *get(void *unused)
{
    if (!atomic_load_explicit(&initialised, memory_order_acquire)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load_explicit(&initialised, memory_order_relaxed)) {
            table = 42;
            atomic_store_explicit(&initialised, 1, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    assert(table == 42);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, get, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
