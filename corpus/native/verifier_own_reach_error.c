//! what: the program brings its own reach_error, which does nothing: calling it is the failure, not the abort behind it
//! verdict: failed
//! finding: assertion at 15
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) {}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void check(int condition)
{
    if (!condition) {
        reach_error();
        abort();
    }
}

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    int seen = x;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    x = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    check(x == 2);
    return 0;
}
