//! what: a thread locks a normal mutex that it holds already
//! verdict: failed
//! finding: deadlock at 10
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void log_line(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_mutex_lock(&lock);
    log_line();
    pthread_mutex_unlock(&lock);
    return 0;
}
