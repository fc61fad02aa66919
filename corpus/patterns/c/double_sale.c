//! what: the last ticket is looked at under one lock and sold under the next
//! finding: assertion
#include "crowd.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 1;
static atomic_int sold;

static void *customer(void *unused)
{
    pthread_mutex_lock(&lock);
    int is_left = left > 0;
    pthread_mutex_unlock(&lock);
    if (is_left) {
        pthread_mutex_lock(&lock);
        left = 0;
        pthread_mutex_unlock(&lock);
        atomic_fetch_add(&sold, 1);
    }
    return unused;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        start(customer, 0);
    join_all();
    raddle_assert(sold == 1);
    return 0;
}
