//! what: a __VERIFIER_atomic section cannot be divided: two additions are never lost
//! verdict: exhausted
//! runs: optimal-dpor 2
//! flags: --races ignore
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int sum;

static void *add(void *unused)
{
    __VERIFIER_atomic_begin();
    int seen = sum;
    sum = seen + 1;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sum == 2);
    return 0;
}
