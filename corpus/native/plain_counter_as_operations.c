//! what: with races ignored the plain accesses are operations like any other, and the lost addition is found
//! verdict: failed
//! finding: assertion at 23
//! flags: --races ignore
#include <assert.h>
#include <pthread.h>

static int counter;

static void *add(void *unused)
{
    counter++;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
