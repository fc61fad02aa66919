//! what: goes on for ever with operations that do change something
//! ending: livelock | stopped
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint counter;

static void *count(void *unused)
{
    while (atomic_fetch_add(&counter, 1) != 0xffffffff)
        ;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
