//! what: functions of the C library on shared texts, each under the same lock, and on neighbours of each other: no race
//! verdict: exhausted
//! runs: optimal-dpor 2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char shared[64] = "count 0";
static struct {
    char left[8], right[8];
} pair = {"left", "right"};

static void *use(void *own)
{
    // Each thread has its own half of the pair, which the other one never looks at.
    assert(strlen(own) > 3 && strchr(own, 't') != NULL && strcmp(own, own) == 0);
    strncpy(own, "four", 8);
    pthread_mutex_lock(&lock);
    char copy[64];
    int count = atoi(shared + 6);
    snprintf(copy, sizeof copy, "%.5s %d", shared, count + 1);
    strcpy(shared, copy);
    char *again = strdup(shared);
    assert(strcmp(again, shared) == 0 && memcmp(again, shared, strlen(again)) == 0);
    free(again);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, pair.left);
    pthread_create(&b, NULL, use, pair.right);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(strcmp(shared, "count 2") == 0);
    return 0;
}
