// Dining philosophers: each takes fork i, then fork i + 1 (the last one the other way round), and eats MEALS times.
// The program that includes this says how many PHILOSOPHERS there are. Taking the forks in one order for all, nobody
// can starve; with GREEDY the last one takes them like the others, and all can wait in a circle.
#include <pthread.h>

#ifndef MEALS
#define MEALS 2
#endif

static pthread_mutex_t fork_[PHILOSOPHERS];

static void *philosopher(void *number)
{
    long first = (long)number, second = (first + 1) % PHILOSOPHERS;
#ifndef GREEDY
    if (second < first) {
        long other = first;
        first = second;
        second = other;
    }
#endif
    for (int meal = 0; meal < MEALS; meal++) {
        pthread_mutex_lock(&fork_[first]);
        pthread_mutex_lock(&fork_[second]);
        pthread_mutex_unlock(&fork_[second]);
        pthread_mutex_unlock(&fork_[first]);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[PHILOSOPHERS];
    for (long i = 0; i < PHILOSOPHERS; i++)
        pthread_mutex_init(&fork_[i], NULL);
    for (long i = 0; i < PHILOSOPHERS; i++)
        pthread_create(&thread[i], NULL, philosopher, (void *)i);
    for (long i = 0; i < PHILOSOPHERS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
