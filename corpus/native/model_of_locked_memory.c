//! what: four threads overwrite plain variables under one mutex; the first run shows that they share them, the second everything else
//! verdict: exhausted
//! flags: --strategy unfolding
//! runs: unfolding 2
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long owner, turns;

static void *body(void *number)
{
    for (int turn = 0; turn < 2; turn++) {
        pthread_mutex_lock(&lock);
        owner = (long)number;
        turns = turn;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    for (long number = 0; number < 4; number++)
        pthread_create(&threads[number], 0, body, (void *)number);
    for (int number = 0; number < 4; number++)
        pthread_join(threads[number], 0);
}
