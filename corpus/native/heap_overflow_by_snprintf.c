//! what: the size that is given to snprintf is not the size of the block
//! verdict: failed
//! finding: out-of-bounds at 11
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *print(void *unused)
{
    char *block = malloc(8);
    snprintf(block, 16, "%s-%d", "number", 1);
    free(block);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, print, NULL);
    pthread_join(thread, NULL);
    return 0;
}
