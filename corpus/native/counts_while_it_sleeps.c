//! what: a thread that sleeps between its steps does not wait for anybody: the other one may come after any of them
//! verdict: failed
//! finding: assertion at 14
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int steps;

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(steps != 7);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        steps++;
        pthread_mutex_unlock(&lock);
        usleep(1000);
    }
    pthread_join(thread, NULL);
    return 0;
}
