// Memory-bound: sums and rewrites an array that other threads could see. For the cost of instrumentation alone.
#include <stdio.h>

#define SIZE 4096

static int data[SIZE];

int main(void) {
    unsigned sum = 0;
    for (int round = 0; round < 20000; round++)
        for (int i = 0; i < SIZE; i++) {
            data[i] += round;
            sum += data[i];
        }
    printf("%u\n", sum);
    return 0;
}
