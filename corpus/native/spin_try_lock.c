//! what: the result of pthread_spin_trylock is thrown away, and the section is entered all the same
//! verdict: failed
//! finding: data-race at 12
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *work(void *unused)
{
    int got = pthread_spin_trylock(&lock);
    counter++;
    if (got == 0)
        pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
