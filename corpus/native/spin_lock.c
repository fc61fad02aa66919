//! what: a pthread spin lock is a lock: three sections can come in 3! orders
//! verdict: exhausted
//! runs: optimal-dpor 6
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *work(void *unused)
{
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 3);
    pthread_spin_destroy(&lock);
    return 0;
}
