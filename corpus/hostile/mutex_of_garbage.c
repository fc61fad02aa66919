//! what: locks memory that was never a mutex
//! ending: misuse | deadlock | crash | exhausted
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock;

int main(void)
{
    memset(&lock, 0xa5, sizeof lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
