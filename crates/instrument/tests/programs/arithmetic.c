// Integers of every width, signs, shifts, floats, long double, complex conversions through memory.
#include <stdint.h>
#include <stdio.h>
int8_t a = -5; uint16_t b = 60000; int32_t c = -70000; uint64_t d = 1ull << 63; float f = 1.5f; double g = 2.25; long double h = 3.125L;
_Bool flag; __int128 wide = (__int128)1 << 100; char letters[] = "abc";
int main(void) {
  a += 3; b += 10000; c <<= 2; d >>= 5; f *= 3; g /= f; h += g; flag = c; wide += d; letters[1] ^= 32;
  printf("%d %u %d %lu %.3f %.6f %.6Lf %d %lx %lx %s\n", a, b, c, (unsigned long)d, f, g, h, flag, (unsigned long)(wide >> 64), (unsigned long)wide, letters);
}
