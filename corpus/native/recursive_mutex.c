//! what: a recursive mutex can be taken again by its holder and is free only after as many unlocks
//! verdict: exhausted
//! runs: optimal-dpor 2
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int depth, most;

static void enter(int level)
{
    pthread_mutex_lock(&lock);
    depth++;
    if (level > 1)
        enter(level - 1);
    if (depth > most)
        most = depth;
    depth--;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    enter(3);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(depth == 0 && most == 3);
    pthread_mutex_destroy(&lock);
    return 0;
}
