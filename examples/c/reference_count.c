// A reference count with a bug: it is decremented and then looked at, so two owners can both see zero, and an owner can look at
// what the other one has freed already.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct session {
    atomic_int owners;
    int user;
};

static void release(struct session *session)
{
    atomic_fetch_sub(&session->owners, 1);
    if (atomic_load(&session->owners) == 0)
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
