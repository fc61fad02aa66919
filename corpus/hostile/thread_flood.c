//! what: makes threads until it cannot, at most 2,000
//! ending: exhausted | stopped | untrusted | misuse
#include <pthread.h>

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 2000; i++) {
        if (pthread_create(&thread, NULL, nothing, NULL) != 0)
            break;
        pthread_join(thread, NULL);
    }
    return 0;
}
