//! what: a stack's head is the same again although the stack is not
//! finding: assertion
#include "crowd.h"

// Entries 1 and 2 are on the stack, 1 on top; zero is the end.
static atomic_int head = 1, below[3] = { 0, 2, 0 };
static atomic_int taken[3];

static int pop(void)
{
    for (;;) {
        int top = atomic_load(&head);
        if (top == 0)
            return 0;
        int next = atomic_load(&below[top]);
        if (atomic_compare_exchange_strong(&head, &top, next))
            return top;
    }
}

static void push(int entry)
{
    int top = atomic_load(&head);
    do
        atomic_store(&below[entry], top);
    while (!atomic_compare_exchange_strong(&head, &top, entry));
}

static void take(int entry)
{
    if (entry != 0)
        raddle_assert(atomic_fetch_add(&taken[entry], 1) == 0);
}

static void *one(void *unused)
{
    take(pop());
    take(pop());
    return unused;
}

static void *two(void *unused)
{
    int first = pop();
    take(pop());
    if (first != 0)
        push(first);
    return unused;
}

int main(void)
{
    fill(2);
    start(one, 0);
    start(two, 0);
    join_all();
    return 0;
}
