//! what: a read that nobody uses must not hide the result (1, 0); 7 traces with and without it
//! verdict: exhausted
//! runs: optimal-dpor 7
//! runs: every 21
//! blocked: optimal-dpor 0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int key, value;

static void *writer(void *unused)
{
    atomic_store(&key, 1);
    atomic_store(&value, 1);
    atomic_store(&value, 0);
    (void)atomic_load(&key);
    atomic_store(&key, 0);
    return unused;
}

static void *reader(void *unused)
{
    int seen_value = atomic_load(&value);
    int seen_key = atomic_load(&key);
    return seen_value == seen_key ? unused : (void *)1;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
