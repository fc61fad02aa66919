//! what: what another thread does outside any section comes before or after a __VERIFIER_atomic section, never into it
//! verdict: exhausted
//! runs: optimal-dpor 3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static atomic_int left, right;

static void *look(void *unused)
{
    __VERIFIER_atomic_begin();
    int first = left;
    int other = right;
    int second = left;
    __VERIFIER_atomic_end();
    assert(first == second);
    assert(first == 1 || other == 0);
    return unused;
}

static void *change(void *unused)
{
    left = 1;
    right = 1;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, look, NULL);
    pthread_create(&b, NULL, change, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
