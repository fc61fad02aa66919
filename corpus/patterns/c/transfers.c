//! what: every account is locked before its neighbour, also the last before the first
//! finding: deadlock
#include "crowd.h"

static pthread_mutex_t accounts[N];

static void *transfer(void *number)
{
    long from = (long)number, to = (from + 1) % N;
    pthread_mutex_lock(&accounts[from]);
    pthread_mutex_lock(&accounts[to]);
    pthread_mutex_unlock(&accounts[to]);
    pthread_mutex_unlock(&accounts[from]);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&accounts[i], NULL);
    for (long i = 0; i < N; i++)
        start(transfer, i);
    join_all();
    return 0;
}
