//! what: two readers go round again if the writer came in between; nothing in their loops says that they wait
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *write_both(void *unused)
{
    unsigned before = atomic_load(&sequence);
    atomic_store(&sequence, before + 1);
    atomic_store(&left, 1);
    atomic_store(&right, 1);
    atomic_store(&sequence, before + 2);
    return unused;
}

static unsigned begin_reading(void)
{
    unsigned now;
    do {
        now = atomic_load(&sequence);
    } while (now & 1);
    return now;
}

static void *read_both(void *unused)
{
    unsigned before;
    int a, b;
    do {
        before = begin_reading();
        a = atomic_load(&left);
        b = atomic_load(&right);
    } while (atomic_load(&sequence) != before);
    assert(a == b);
    return unused;
}

int main(void)
{
    pthread_t writer, readers[2];
    pthread_create(&writer, NULL, write_both, NULL);
    pthread_create(&readers[0], NULL, read_both, NULL);
    pthread_create(&readers[1], NULL, read_both, NULL);
    pthread_join(writer, NULL);
    pthread_join(readers[0], NULL);
    pthread_join(readers[1], NULL);
    return 0;
}
