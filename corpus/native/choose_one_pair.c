//! what: one pair of chosen inputs of two threads is not handled
//! verdict: failed
//! finding: assertion at 22
#include <pthread.h>
#include "raddle.h"

static unsigned input[2];

static void *work(void *number)
{
    input[(long)number] = raddle_choose(3);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    raddle_assert(!(input[0] == 2 && input[1] == 1));
    return 0;
}
