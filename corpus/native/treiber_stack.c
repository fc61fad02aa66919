//! what: a lock-free stack that never frees its nodes: two threads push and pop, and every node is taken once
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};
static _Atomic(struct node *) head;
static int taken[2];

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load(&head);
    while (!atomic_compare_exchange_strong(&head, &node->next, node))
        ;
}

static int pop(void)
{
    struct node *node = atomic_load(&head);
    while (!atomic_compare_exchange_strong(&head, &node, node->next))
        ;
    return node->value;
}

static void *work(void *number)
{
    push((int)(long)number + 1);
    taken[(long)number] = pop();
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(taken[0] + taken[1] == 3 && taken[0] != taken[1]);
    return 0;
}
