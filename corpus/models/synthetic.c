/* Synthetic: N threads read and write random cells, STEPS times each, and now and then take a lock or do what a value tells
   them. What they do follows from SEED alone. */
#include "threads.h"

#ifndef SEED
#define SEED 1
#endif
#ifndef N
#define N 3
#endif
#ifndef STEPS
#define STEPS 5
#endif

static atomic_long shared[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t draw(uint64_t *state, uint64_t below) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % below;
}

static void body(int number) {
    uint64_t state = (uint64_t)SEED * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)number + 1;
    for (int step = 0; step < STEPS; step++) {
        atomic_long *cell = &shared[draw(&state, 4)];
        switch (draw(&state, 8)) {
        case 0:
        case 1:
        case 2:
        case 3:
            atomic_store(cell, step + 1);
            break;
        case 4:
        case 5:
            (void)atomic_load(cell);
            break;
        case 6:
            pthread_mutex_lock(&lock);
            atomic_store(cell, 7);
            pthread_mutex_unlock(&lock);
            break;
        default:
            if (atomic_load(cell) == 0) {
                atomic_store(cell, 9);
            }
        }
    }
}

int main(void) {
    run_all(N);
}
