//! what: a write in one thread comes after the block was freed, in the one order of three sections that nobody sees by its values
//! verdict: failed
//! finding: use-after-free at 15
//! flags: --strategy unfolding
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int *block;
static int ready;

static void *write(void *unused)
{
    pthread_mutex_lock(&lock);
    *block = 7;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *prepare(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *release(void *unused)
{
    pthread_mutex_lock(&lock);
    if (ready)
        free(block);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    block = malloc(sizeof *block);
    pthread_create(&threads[0], 0, write, 0);
    pthread_create(&threads[1], 0, prepare, 0);
    pthread_create(&threads[2], 0, release, 0);
    for (int number = 0; number < 3; number++)
        pthread_join(threads[number], 0);
}
