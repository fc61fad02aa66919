//! what: a key has a value of its own in each thread, and its destructor runs when the thread ends
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static atomic_int destroyed;

static void destroy(void *value)
{
    free(value);
    atomic_fetch_add(&destroyed, 1);
}

static void *work(void *number)
{
    assert(pthread_getspecific(key) == NULL);
    long *own = malloc(sizeof *own);
    *own = (long)number;
    pthread_setspecific(key, own);
    assert(*(long *)pthread_getspecific(key) == (long)number);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    pthread_key_create(&key, destroy);
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(destroyed == 2);
    pthread_key_delete(key);
    return 0;
}
