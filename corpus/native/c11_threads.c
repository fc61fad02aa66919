//! what: C11 threads, mutexes, condition variables, once and thread-specific storage work together as their pthread twins
//! verdict: exhausted
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t own;
static int ready, initialised;

static void initialise(void)
{
    initialised++;
}

static int worker(void *number)
{
    call_once(&once, initialise);
    tss_set(own, number);
    mtx_lock(&lock);
    ready++;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    assert(tss_get(own) == number);
    return (int)(long)number;
}

int main(void)
{
    thrd_t thread[2];
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    tss_create(&own, NULL);
    for (long i = 0; i < 2; i++)
        thrd_create(&thread[i], worker, (void *)(i + 5));
    mtx_lock(&lock);
    while (ready < 2)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    for (int i = 0; i < 2; i++) {
        int result;
        thrd_join(thread[i], &result);
        assert(result == i + 5);
    }
    assert(initialised == 1);
    return 0;
}
