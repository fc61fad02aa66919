// Double-checked initialisation with a bug: the first look at the pointer is a plain read without the lock. Nothing orders
// it after the write, so a thread may see the pointer and not what it points to.
#include <pthread.h>
#include <stdlib.h>

struct config {
    int limit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *config;

static struct config *get(void)
{
    if (config == NULL) {
        pthread_mutex_lock(&lock);
        if (config == NULL) {
            struct config *fresh = malloc(sizeof *fresh);
            fresh->limit = 10;
            config = fresh;
        }
        pthread_mutex_unlock(&lock);
    }
    return config;
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
    free(config);
    return 0;
}
