//! what: the reader sleeps for a second and hopes that the writer is done; time orders nothing
//! verdict: failed
//! finding: assertion at 23
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int data;

static void *writer(void *unused)
{
    usleep(1000);
    atomic_store(&data, 42);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    sleep(1);
    assert(atomic_load(&data) == 42);
    pthread_join(thread, NULL);
    return 0;
}
