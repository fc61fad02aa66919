//! what: one thread copies a structure as a whole while the other writes one of its members
//! verdict: failed
//! finding: data-race
#include <pthread.h>
#include <string.h>

struct config {
    char name[24];
    int limit;
};

static struct config current = {"default", 10}, copy;

static void *reload(void *unused)
{
    current.limit = 20;
    return unused;
}

static void *save(void *unused)
{
    memcpy(&copy, &current, sizeof copy);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reload, NULL);
    pthread_create(&b, NULL, save, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
