//! what: a thread sleeps between its looks for an answer and gives up when its time is up; both ends are right
//! verdict: exhausted
//! runs: every 6
//! runs: dpor 6
//! runs: dpor-cr-sleep 6
//! runs: optimal-dpor 6
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int answer;

static void *gives_it(void *unused)
{
    atomic_store(&answer, 42);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, gives_it, NULL);
    time_t begin = time(NULL);
    int seen, gave_up = 0;
    while ((seen = atomic_load(&answer)) == 0 && !gave_up) {
        usleep(100);
        gave_up = time(NULL) - begin > 5;
    }
    pthread_join(thread, NULL);
    assert(seen == 42 || gave_up);
    return 0;
}
