// The hash table of Flanagan and Godefroid (2005): THREADS threads put four messages each into a table of 128 places by
// compare-and-swap. Up to eleven threads nobody meets; every further one meets others in three places.
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 128, MESSAGES = 4 };
static atomic_int table[SIZE];

static void *insert(void *number)
{
    for (int message = 1; message <= MESSAGES; message++) {
        int word = message * 11 + (int)(long)number;
        int place = (word * 7) % SIZE;
        int empty = 0;
        while (!atomic_compare_exchange_strong(&table[place], &empty, word)) {
            place = (place + 1) % SIZE;
            empty = 0;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, insert, (void *)i);
    for (long i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
