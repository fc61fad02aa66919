//! what: bytes of getrandom and getentropy are the same in every run, so what depends on them is no divergence
//! verdict: exhausted
//! runs: optimal-dpor 2
#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <unistd.h>

static atomic_uint sum;

// One visible step, in one of two places.
static void *work(void *unused)
{
    unsigned char bytes[2];
    if (getrandom(&bytes[0], 1, 0) != 1 || getentropy(&bytes[1], 1) != 0)
        return unused;
    if ((bytes[0] ^ bytes[1]) & 1)
        atomic_fetch_add(&sum, 1);
    else
        atomic_fetch_add(&sum, 2);
    return NULL;
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
