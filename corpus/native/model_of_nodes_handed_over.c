//! what: one thread allocates and fills nodes, another takes them from a list under a mutex and frees them: nothing is wrong
//! verdict: exhausted
//! flags: --strategy unfolding
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void *produce(void *unused)
{
    for (int value = 1; value <= 2; value++) {
        struct node *node = malloc(sizeof *node);
        node->value = value;
        pthread_mutex_lock(&lock);
        node->next = head;
        head = node;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static struct node *take(void)
{
    pthread_mutex_lock(&lock);
    struct node *node = head;
    if (node)
        head = node->next;
    pthread_mutex_unlock(&lock);
    return node;
}

static void *consume(void *unused)
{
    for (int time = 0; time < 2; time++) {
        struct node *node = take();
        if (node) {
            assert(node->value > 0);
            free(node);
        }
    }
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    for (struct node *node = take(); node; node = take())
        free(node);
}
