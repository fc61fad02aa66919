// A bank with a bug: two tellers read the balance before either has written it back, and one withdrawal is lost.
// Each access is atomic, so no race detector complains; it is the pair of them that is not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int balance = 100;

static void *withdraw(void *amount)
{
    int seen = atomic_load(&balance);
    atomic_store(&balance, seen - *(int *)amount);
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
