//! what: a ring buffer whose loads and stores are volatile assembly, as in libraries older than C11, hands over without a race
//! verdict: exhausted
//! runs: optimal-dpor 3
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>

static int slots[2];
static unsigned head;

static unsigned load(const unsigned *from)
{
    unsigned value;
    __asm__ __volatile__("movl %1, %0" : "=q"(value) : "m"(*from) : "memory");
    return value;
}

static void store(unsigned *to, unsigned value)
{
    __asm__ __volatile__("movl %1, %0" : "=m"(*to) : "iq"(value) : "memory");
}

static void *produce(void *argument)
{
    for (unsigned i = 0; i < 2; i++) {
        slots[i] = 7;
        store(&head, i + 1);
    }
    return argument;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    unsigned filled = load(&head);
    for (unsigned i = 0; i < filled; i++)
        assert(slots[i] == 7);
    pthread_join(producer, NULL);
    return 0;
}
