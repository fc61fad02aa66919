// Dining philosophers with a bug: each takes the fork in front of it first, then the next one. If all have taken their first
// fork, all wait for ever.
#include <pthread.h>

enum { PHILOSOPHERS = 3 };
static pthread_mutex_t forks[PHILOSOPHERS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

static void *philosopher(void *number)
{
    long first = (long)number, second = (first + 1) % PHILOSOPHERS;
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void)
{
    pthread_t thread[PHILOSOPHERS];
    for (long i = 0; i < PHILOSOPHERS; i++)
        pthread_create(&thread[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
