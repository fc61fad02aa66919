//! what: main reads the result without joining the thread that writes it
//! verdict: failed
//! finding: data-race
#include <pthread.h>

static int result;

static void *compute(void *unused)
{
    result = 42;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    int answer = result;
    pthread_join(thread, NULL);
    return answer < 0;
}
