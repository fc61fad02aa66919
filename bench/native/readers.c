// One writer and N readers of one variable: 2^N traces.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 14
#endif

static atomic_int shared;

static void *reader(void *argument) {
    (void)atomic_load(&shared);
    return argument;
}

static void *writer(void *argument) {
    atomic_store(&shared, 1);
    return argument;
}

int main(void) {
    pthread_t thread[N + 1];
    pthread_create(&thread[N], 0, writer, 0);
    for (int i = 0; i < N; i++)
        pthread_create(&thread[i], 0, reader, 0);
    for (int i = 0; i <= N; i++)
        pthread_join(thread[i], 0);
    return 0;
}
