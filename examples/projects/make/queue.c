#include "queue.h"

void queue_init(struct queue *queue)
{
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->first = queue->count = 0;
    queue->closed = false;
}

void queue_put(struct queue *queue, int item)
{
    pthread_mutex_lock(&queue->mutex);
    queue->items[(queue->first + queue->count++) % QUEUE_SIZE] = item;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

bool queue_take(struct queue *queue, int *item)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == 0 && !queue->closed)
        pthread_cond_wait(&queue->changed, &queue->mutex);
    bool taken = queue->count > 0;
    if (taken) {
        *item = queue->items[queue->first];
        queue->first = (queue->first + 1) % QUEUE_SIZE;
        queue->count--;
    }
    pthread_mutex_unlock(&queue->mutex);
    return taken;
}

void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->closed = true;
    // The bug: one signal, although several workers may be asleep. It takes a broadcast.
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}
