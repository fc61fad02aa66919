// Double-checked initialisation without the bug: the pointer is stored with release and looked at with acquire.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int limit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct config *) config;

static struct config *get(void)
{
    struct config *seen = atomic_load_explicit(&config, memory_order_acquire);
    if (seen == NULL) {
        pthread_mutex_lock(&lock);
        seen = atomic_load_explicit(&config, memory_order_relaxed);
        if (seen == NULL) {
            seen = malloc(sizeof *seen);
            seen->limit = 10;
            atomic_store_explicit(&config, seen, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return seen;
}

static void *worker(void *unused)
{
    return get()->limit == 10 ? unused : (void *)1;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(atomic_load(&config));
    return 0;
}
