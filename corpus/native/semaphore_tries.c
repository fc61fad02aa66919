//! what: sem_trywait fails with EAGAIN, sem_timedwait with ETIMEDOUT, and sem_getvalue tells what is left
//! verdict: exhausted
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t permits;

static void *poster(void *unused)
{
    sem_post(&permits);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    sem_init(&permits, 0, 0);
    pthread_create(&thread, NULL, poster, NULL);
    int taken = 0;
    if (sem_trywait(&permits) == 0)
        taken++;
    else
        assert(errno == EAGAIN);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    if (sem_timedwait(&permits, &until) == 0)
        taken++;
    else
        assert(errno == ETIMEDOUT);
    pthread_join(thread, NULL);
    int left;
    sem_getvalue(&permits, &left);
    assert(taken + left == 1);
    return 0;
}
