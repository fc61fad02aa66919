// A reference count without the bug: who takes the last count away is told so by the same step.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct session {
    atomic_int owners;
    int user;
};

static void release(struct session *session)
{
    if (atomic_fetch_sub(&session->owners, 1) == 1)
        free(session);
}

static void *owner(void *session)
{
    release(session);
    return NULL;
}

int main(void)
{
    struct session *session = malloc(sizeof *session);
    atomic_init(&session->owners, 2);
    session->user = 7;
    pthread_t a, b;
    pthread_create(&a, NULL, owner, session);
    pthread_create(&b, NULL, owner, session);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
