// One thread scans an array from the top for a zero while N threads set a[j] = a[j - 1] + 1.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 10
#endif

static atomic_int a[N + 1];

static void *scan(void *argument) {
    int i = N;
    while (atomic_load(&a[i]) != 0)
        i--;
    return argument;
}

static void *set(void *argument) {
    long j = (long)argument;
    atomic_store(&a[j], atomic_load(&a[j - 1]) + 1);
    return 0;
}

int main(void) {
    pthread_t thread[N + 1];
    pthread_create(&thread[0], 0, scan, 0);
    for (long j = 1; j <= N; j++)
        pthread_create(&thread[j], 0, set, (void *)j);
    for (int i = 0; i <= N; i++)
        pthread_join(thread[i], 0);
    return 0;
}
