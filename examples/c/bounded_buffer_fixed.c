// The buffer without the bug: producers wait until it is emptied, consumers until it is filled, and each wakes the other kind.
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static bool full;
static int place;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (full)
        pthread_cond_wait(&emptied, &lock);
    place = item;
    full = true;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&filled, &lock);
    int item = place;
    full = false;
    pthread_cond_signal(&emptied);
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
