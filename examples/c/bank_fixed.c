// The bank without the bug: reading and writing back is one step.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int balance = 100;

static void *withdraw(void *amount)
{
    atomic_fetch_sub(&balance, *(int *)amount);
    return NULL;
}

int main(void)
{
    int amount[2] = {30, 40};
    pthread_t teller[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&teller[i], NULL, withdraw, &amount[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(teller[i], NULL);
    assert(balance == 30);
    return 0;
}
