//! what: Dekker's lock, whose outer loop also writes, without a hint in any loop: as many runs as with hints
//! verdict: exhausted
//! runs: optimal-dpor 45
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *enter(void *number)
{
    int self = (int)(long)number, other = 1 - self;
    atomic_store(&wants[self], 1);
    while (atomic_load(&wants[other])) {
        if (atomic_load(&turn) != self) {
            atomic_store(&wants[self], 0);
            while (atomic_load(&turn) != self)
                ;
            atomic_store(&wants[self], 1);
        }
    }
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&turn, other);
    atomic_store(&wants[self], 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, enter, (void *)0L);
    pthread_create(&b, NULL, enter, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
