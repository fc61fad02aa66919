//! what: the body of a function named __VERIFIER_atomic_… is one step: a test-and-set lock made of it works
//! verdict: exhausted
//! flags: --races ignore
#include <pthread.h>

extern void __VERIFIER_assume(int);
void reach_error(void);

static int locked, inside;

void __VERIFIER_atomic_acquire(void)
{
    __VERIFIER_assume(locked == 0);
    locked = 1;
}

static void *work(void *unused)
{
    __VERIFIER_atomic_acquire();
    inside++;
    if (inside != 1)
        reach_error();
    inside--;
    locked = 0;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
