/* Szymanski's mutual exclusion for two threads; each wait looks at most LOOKS times, and then gives up. */
#include <assert.h>

#include "threads.h"

#ifndef LOOKS
#define LOOKS 3
#endif

static atomic_long flags[2], inside;

enum wanted { BELOW_3, IS_4, BELOW_2, NOT_2_OR_3 };

static int is(enum wanted wanted, long flag) {
    switch (wanted) {
    case BELOW_3:
        return flag < 3;
    case IS_4:
        return flag == 4;
    case BELOW_2:
        return flag < 2;
    default:
        return flag != 2 && flag != 3;
    }
}

static int waits(int other, enum wanted wanted) {
    for (int look = 0; look < LOOKS; look++) {
        if (is(wanted, atomic_load(&flags[other]))) {
            return 1;
        }
    }
    return 0;
}

static void body(int own) {
    int other = 1 - own;
    atomic_store(&flags[own], 1);
    if (!waits(other, BELOW_3)) {
        return;
    }
    atomic_store(&flags[own], 3);
    if (atomic_load(&flags[other]) == 1) {
        atomic_store(&flags[own], 2);
        if (!waits(other, IS_4)) {
            return;
        }
    }
    atomic_store(&flags[own], 4);
    if (own == 1 && !waits(other, BELOW_2)) {
        return;
    }
    atomic_store(&inside, own);
    assert(atomic_load(&inside) == own);
    if (own == 0 && !waits(other, NOT_2_OR_3)) {
        return;
    }
    atomic_store(&flags[own], 0);
}

int main(void) {
    run_all(2);
}
