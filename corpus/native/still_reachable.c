//! what: memory that a global variable still points to at the end is not lost, and no leak
//! verdict: exhausted
//! flags: --leaks
#include <stdlib.h>

static struct node {
    struct node *next;
} *list;

int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        list = node;
    }
    return 0;
}
