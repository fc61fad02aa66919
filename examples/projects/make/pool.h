// Threads that work off a queue.
#ifndef POOL_H
#define POOL_H

#include "queue.h"

enum { POOL_WORKERS = 2 };

struct pool {
    struct queue queue;
    pthread_t worker[POOL_WORKERS];
    pthread_mutex_t mutex;
    int sum;
};

void pool_start(struct pool *pool);
// Waits until all is done; the sum of all items.
int pool_finish(struct pool *pool);

#endif
