// A queue of numbers that blocks who finds it empty.
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>
#include <stdbool.h>

enum { QUEUE_SIZE = 8 };

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int items[QUEUE_SIZE];
    int first, count;
    bool closed;
};

void queue_init(struct queue *queue);
void queue_put(struct queue *queue, int item);
// Waits for an item; false if the queue is closed and empty.
bool queue_take(struct queue *queue, int *item);
void queue_close(struct queue *queue);

#endif
