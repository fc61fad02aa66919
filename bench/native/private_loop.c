// Nothing shared: arithmetic on locals and on an array that never leaves its function.
#include <stdio.h>

static unsigned mix(unsigned seed) {
    unsigned box[16];
    for (int i = 0; i < 16; i++)
        box[i] = seed * (i + 1);
    for (int i = 0; i < 64; i++)
        box[i & 15] ^= (box[(i + 5) & 15] << 3) + i;
    return box[seed & 15];
}

int main(void) {
    unsigned value = 1;
    for (int i = 0; i < 3000000; i++)
        value = mix(value) + i;
    printf("%u\n", value);
    return 0;
}
