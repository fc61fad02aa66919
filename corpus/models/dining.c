/* Dining: N philosophers eat TIMES times; the last one takes the forks in the other order, so that nobody starves. */
#include "threads.h"

#ifndef N
#define N 4
#endif
#ifndef TIMES
#define TIMES 2
#endif

static pthread_mutex_t forks[N];

static void body(int seat) {
    int left = seat, right = (seat + 1) % N;
    int first = left < right ? left : right, second = left < right ? right : left;
    for (int time = 0; time < TIMES; time++) {
        pthread_mutex_lock(&forks[first]);
        pthread_mutex_lock(&forks[second]);
        pthread_mutex_unlock(&forks[second]);
        pthread_mutex_unlock(&forks[first]);
    }
}

int main(void) {
    for (int fork = 0; fork < N; fork++) {
        pthread_mutex_init(&forks[fork], NULL);
    }
    run_all(N);
}
