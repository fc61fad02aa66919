// N threads add their part of pi to a sum under one lock: N! traces.
#include <pthread.h>

#ifndef N
#define N 8
#endif
#define STEPS 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double sum;

static void *part(void *argument) {
    double own = 0;
    for (long i = (long)argument; i < STEPS; i += N) {
        double x = (i + 0.5) / STEPS;
        own += 4.0 / (1.0 + x * x);
    }
    pthread_mutex_lock(&lock);
    sum += own / STEPS;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread[N];
    for (long i = 0; i < N; i++)
        pthread_create(&thread[i], 0, part, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], 0);
    return sum > 3.1 && sum < 3.2 ? 0 : 1;
}
