//! what: both ends of a ring try again until there is room or something to take; the loops count only what succeeded
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SIZE 2
#define COUNT 3

static int ring[SIZE];
static atomic_uint head, tail;

static bool put(int value)
{
    unsigned at = atomic_load(&tail);
    if (at - atomic_load(&head) == SIZE)
        return false;
    ring[at % SIZE] = value;
    atomic_store(&tail, at + 1);
    return true;
}

static bool take(int *value)
{
    unsigned at = atomic_load(&head);
    if (atomic_load(&tail) == at)
        return false;
    *value = ring[at % SIZE];
    atomic_store(&head, at + 1);
    return true;
}

static void *produce(void *unused)
{
    for (int next = 1; next <= COUNT;)
        if (put(next))
            next++;
    return unused;
}

static void *consume(void *unused)
{
    int taken = 0, value;
    while (taken < COUNT)
        if (take(&value)) {
            taken++;
            assert(value == taken);
        }
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
