//! what: two threads write neighbouring bytes and members of one array and structure: no race
//! verdict: exhausted
//! runs: optimal-dpor 1
#include <assert.h>
#include <pthread.h>

static char byte[2];
static struct {
    short left, right;
} pair;

static void *work(void *number)
{
    long me = (long)number;
    byte[me] = 1;
    if (me)
        pair.left = 1;
    else
        pair.right = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(byte[0] + byte[1] + pair.left + pair.right == 4);
    return 0;
}
