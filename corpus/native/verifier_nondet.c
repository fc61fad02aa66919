//! what: __VERIFIER_nondet values are the same in every run, whatever they are, and bools are 0 or 1
//! verdict: exhausted
//! runs: optimal-dpor 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
bool __VERIFIER_nondet_bool(void);

static atomic_int value;

static void *work(void *number)
{
    atomic_store(&value, *(int *)number);
    return NULL;
}

int main(void)
{
    int first = __VERIFIER_nondet_int();
    int second = (int)(__VERIFIER_nondet_uint() % 100);
    int flag = __VERIFIER_nondet_bool();
    assert(flag == 0 || flag == 1);
    pthread_t a, b;
    pthread_create(&a, NULL, work, &first);
    pthread_create(&b, NULL, work, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(value == first || value == second);
    return 0;
}
