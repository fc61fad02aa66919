// N threads take one lock K times and write their own slot: (N*K)! / (K!)^N traces.
#include <pthread.h>

#ifndef N
#define N 4
#endif
#ifndef K
#define K 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int slot[N];

static void *work(void *argument) {
    int *own = argument;
    for (int i = 0; i < K; i++) {
        pthread_mutex_lock(&lock);
        *own = i;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t thread[N];
    for (int i = 0; i < N; i++)
        pthread_create(&thread[i], 0, work, &slot[i]);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], 0);
    return 0;
}
