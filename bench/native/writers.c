// N threads write one variable: N! traces.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 8
#endif

static atomic_int shared;

static void *writer(void *argument) {
    atomic_store(&shared, (int)(long)argument);
    return 0;
}

int main(void) {
    pthread_t thread[N];
    for (long i = 0; i < N; i++)
        pthread_create(&thread[i], 0, writer, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], 0);
    return 0;
}
