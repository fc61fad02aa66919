//! what: a condition variable is waited for without holding its mutex
//! verdict: failed
//! finding: misuse at 11
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void)
{
    pthread_cond_wait(&changed, &lock);
    return 0;
}
