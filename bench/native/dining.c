// N philosophers eat twice; the last one takes the forks the other way round, so nobody starves.
#include <pthread.h>

#ifndef N
#define N 4
#endif

static pthread_mutex_t fork_[N];

static void *philosopher(void *argument) {
    long i = (long)argument;
    long first = i == N - 1 ? 0 : i, second = i == N - 1 ? i : i + 1;
    for (int meal = 0; meal < 2; meal++) {
        pthread_mutex_lock(&fork_[first]);
        pthread_mutex_lock(&fork_[second]);
        pthread_mutex_unlock(&fork_[second]);
        pthread_mutex_unlock(&fork_[first]);
    }
    return 0;
}

int main(void) {
    pthread_t thread[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&thread[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], 0);
    return 0;
}
