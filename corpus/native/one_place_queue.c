//! what: a queue of one place with two condition variables hands over five items in 512 ways, all of them right
//! verdict: exhausted
//! runs: optimal-dpor 512
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>

enum { ITEMS = 5 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int place, full;

static void *producer(void *unused)
{
    for (int item = 0; item < ITEMS; item++) {
        pthread_mutex_lock(&lock);
        while (full)
            pthread_cond_wait(&emptied, &lock);
        place = item;
        full = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    for (int item = 0; item < ITEMS; item++) {
        pthread_mutex_lock(&lock);
        while (!full)
            pthread_cond_wait(&filled, &lock);
        assert(place == item);
        full = 0;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return 0;
}
