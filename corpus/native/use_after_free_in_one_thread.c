//! what: a list is freed while it is walked: the next pointer is read from freed memory
//! verdict: failed
//! finding: use-after-free at 12
#include <stdlib.h>

struct node {
    struct node *next;
};

static void free_all(struct node *node)
{
    for (; node; node = node->next)
        free(node);
}

int main(void)
{
    struct node *second = calloc(1, sizeof *second);
    struct node *first = malloc(sizeof *first);
    first->next = second;
    free_all(first);
    return 0;
}
