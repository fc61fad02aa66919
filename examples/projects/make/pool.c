#include "pool.h"

static void *work(void *argument)
{
    struct pool *pool = argument;
    int item;
    while (queue_take(&pool->queue, &item)) {
        pthread_mutex_lock(&pool->mutex);
        pool->sum += item;
        pthread_mutex_unlock(&pool->mutex);
    }
    return NULL;
}

void pool_start(struct pool *pool)
{
    queue_init(&pool->queue);
    pthread_mutex_init(&pool->mutex, NULL);
    pool->sum = 0;
    for (int i = 0; i < POOL_WORKERS; i++)
        pthread_create(&pool->worker[i], NULL, work, pool);
}

int pool_finish(struct pool *pool)
{
    queue_close(&pool->queue);
    for (int i = 0; i < POOL_WORKERS; i++)
        pthread_join(pool->worker[i], NULL);
    return pool->sum;
}
