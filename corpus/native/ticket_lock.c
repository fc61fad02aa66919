//! what: three threads are served in the order of their tickets: 3! traces of taking them
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int next_ticket, now_served;
static int counter;

static void *work(void *unused)
{
    int ticket = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&now_served) != ticket)
        sched_yield();
    counter++;
    atomic_store(&now_served, ticket + 1);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 3);
    return 0;
}
