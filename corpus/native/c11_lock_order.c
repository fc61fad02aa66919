//! what: C11 mutexes taken in opposite order
//! verdict: failed
//! finding: deadlock
#include <threads.h>

static mtx_t a, b;

static int backwards(void *unused)
{
    (void)unused;
    mtx_lock(&b);
    mtx_lock(&a);
    mtx_unlock(&a);
    mtx_unlock(&b);
    return 0;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&a, mtx_plain);
    mtx_init(&b, mtx_plain);
    thrd_create(&thread, backwards, NULL);
    mtx_lock(&a);
    mtx_lock(&b);
    mtx_unlock(&b);
    mtx_unlock(&a);
    thrd_join(thread, NULL);
    return 0;
}
