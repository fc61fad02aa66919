//! what: threads that work for long on their own memory are not taken for waiting
//! verdict: exhausted
//! runs: optimal-dpor 2
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { SIZE = 1000, ROUNDS = 1500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;

static void *work(void *argument)
{
    unsigned *cells = calloc(SIZE, sizeof *cells);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned cell = 1; cell < SIZE; cell++)
            cells[cell] += cells[cell - 1] + 1;
    pthread_mutex_lock(&lock);
    total += cells[1];
    pthread_mutex_unlock(&lock);
    free(cells);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(total == 2 * ROUNDS);
    return 0;
}
