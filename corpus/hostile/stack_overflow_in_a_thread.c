//! what: a thread calls itself without end, beside another one that is fine
//! ending: crash
#include <pthread.h>

__attribute__((noinline)) static long deeper(long level)
{
    volatile char room[512];
    room[level % 512] = 1;
    return level < 0 ? 0 : deeper(level + 1) + room[0];
}

static void *fall(void *unused)
{
    deeper(1);
    return unused;
}

static void *stand(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, fall, NULL);
    pthread_create(&b, NULL, stand, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
