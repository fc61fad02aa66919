//! what: one thread copies a text into a buffer while the other one measures it: the accesses happen inside the C library
//! verdict: failed
//! finding: data-race at 19
#include <pthread.h>
#include <string.h>

static char name[32] = "nobody";
static size_t length;

static void *rename_it(void *text)
{
    strcpy(name, "somebody");
    strcpy(name, text);
    return NULL;
}

static void *measure(void *unused)
{
    length = strlen(name);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, rename_it, "someone else");
    pthread_create(&b, NULL, measure, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
