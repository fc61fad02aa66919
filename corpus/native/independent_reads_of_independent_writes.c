//! what: two writers and two readers that look at both variables in opposite order: all 16 results but the one with a circle
//! verdict: exhausted
//! runs: optimal-dpor 15
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen[4];

static void *write_x(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}

static void *write_y(void *unused)
{
    atomic_store(&y, 1);
    return unused;
}

static void *read_xy(void *unused)
{
    seen[0] = atomic_load(&x);
    seen[1] = atomic_load(&y);
    return unused;
}

static void *read_yx(void *unused)
{
    seen[2] = atomic_load(&y);
    seen[3] = atomic_load(&x);
    return unused;
}

int main(void)
{
    void *(*body[])(void *) = {write_x, write_y, read_xy, read_yx};
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, body[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert(!(seen[0] == 1 && seen[1] == 0 && seen[2] == 1 && seen[3] == 0));
    return 0;
}
