#include "cache.h"

void cache_init(struct cache *cache)
{
    pthread_rwlock_init(&cache->lock, NULL);
    for (int i = 0; i < CACHE_SIZE; i++)
        cache->known[i] = 0;
    cache->hits = 0;
}

int cache_square(struct cache *cache, int number)
{
    int place = number % CACHE_SIZE, result = 0;
    pthread_rwlock_rdlock(&cache->lock);
    if (cache->known[place]) {
        result = cache->square[place];
        // The bug: readers share the lock, so this is no protection for what they write.
        cache->hits++;
    }
    pthread_rwlock_unlock(&cache->lock);
    if (result)
        return result;
    pthread_rwlock_wrlock(&cache->lock);
    cache->square[place] = number * number;
    cache->known[place] = 1;
    pthread_rwlock_unlock(&cache->lock);
    return number * number;
}
