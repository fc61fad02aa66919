#include <assert.h>

#include "cache.h"

static struct cache cache;

static void *look_up(void *unused)
{
    int square = cache_square(&cache, 3);
    assert(square == 9);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    cache_init(&cache);
    cache_square(&cache, 3);
    pthread_create(&a, NULL, look_up, NULL);
    pthread_create(&b, NULL, look_up, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
