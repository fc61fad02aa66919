// A cache of squares that threads share.
#ifndef CACHE_H
#define CACHE_H

#include <pthread.h>

enum { CACHE_SIZE = 4 };

struct cache {
    pthread_rwlock_t lock;
    int known[CACHE_SIZE], square[CACHE_SIZE];
    int hits;
};

void cache_init(struct cache *cache);
int cache_square(struct cache *cache, int number);

#endif
