//! what: a popped node is freed at once, while another thread that saw it as the head still reads its next
//! verdict: failed
//! finding: use-after-free at 16
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};
static _Atomic(struct node *) head;

static void *pop(void *unused)
{
    struct node *node = atomic_load(&head);
    while (node && !atomic_compare_exchange_strong(&head, &node, node->next))
        ;
    free(node);
    return unused;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = atomic_load(&head);
        atomic_store(&head, node);
    }
    pthread_t a, b;
    pthread_create(&a, NULL, pop, NULL);
    pthread_create(&b, NULL, pop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
