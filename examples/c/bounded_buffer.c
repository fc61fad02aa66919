// A buffer of one place with a bug: producers and consumers wait on the same condition variable, and a signal wakes just
// one of them. If it wakes one of the wrong kind, that one goes back to sleep, and nobody is left to wake the right one.
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool full;
static int place;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (full)
        pthread_cond_wait(&changed, &lock);
    place = item;
    full = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&changed, &lock);
    int item = place;
    full = false;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *producer(void *unused)
{
    put(1);
    put(2);
    return unused;
}

static void *consumer(void *unused)
{
    take();
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, producer, NULL);
    pthread_create(&thread[1], NULL, consumer, NULL);
    pthread_create(&thread[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
