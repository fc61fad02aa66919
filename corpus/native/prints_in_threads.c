//! what: what threads print is captured and not mixed into the report
//! verdict: exhausted
#include <pthread.h>
#include <stdio.h>

static void *greet(void *name)
{
    printf("hello from %s\n", (const char *)name);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, greet, "one");
    pthread_create(&b, NULL, greet, "two");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
