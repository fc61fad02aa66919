//! what: mtx_trylock, mtx_timedlock, cnd_timedwait, thrd_sleep, thrd_yield: every answer they can give is handled
//! verdict: exhausted
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;

static int worker(void *unused)
{
    (void)unused;
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 1;
    int got = mtx_timedlock(&lock, &until);
    assert(got == thrd_success || got == thrd_timedout);
    if (got == thrd_success) {
        int woken = cnd_timedwait(&changed, &lock, &until);
        assert(woken == thrd_success || woken == thrd_timedout);
        mtx_unlock(&lock);
    }
    thrd_exit(7);
}

int main(void)
{
    thrd_t thread;
    int result;
    mtx_init(&lock, mtx_timed);
    cnd_init(&changed);
    thrd_create(&thread, worker, NULL);
    int got = mtx_trylock(&lock);
    assert(got == thrd_success || got == thrd_busy);
    if (got == thrd_success) {
        cnd_broadcast(&changed);
        mtx_unlock(&lock);
    }
    thrd_yield();
    thrd_sleep(&(struct timespec){.tv_sec = 2}, NULL);
    thrd_join(thread, &result);
    assert(result == 7);
    return 0;
}
