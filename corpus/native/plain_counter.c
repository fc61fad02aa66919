//! what: two threads add to a plain variable with nothing that orders them
//! verdict: failed
//! finding: data-race at 10
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
    return 0;
}
