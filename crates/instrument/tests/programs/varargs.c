#include <stdarg.h>
#include <stdio.h>
static double total; static int calls;
static double sum(const char *kinds, ...) {
  va_list list, again; va_start(list, kinds); va_copy(again, list); calls++;
  for (const char *k = kinds; *k; k++) switch (*k) { case 'i': total += va_arg(list, int); break; case 'd': total += va_arg(list, double); break; case 'l': total += va_arg(list, long); break; case 's': total += va_arg(list, const char *)[0]; break; }
  if (*kinds == 'i') total += va_arg(again, int);
  va_end(list); va_end(again); return total;
}
static int show(const char *format, ...) { va_list list; va_start(list, format); int n = vprintf(format, list); va_end(list); return n; }
struct big { long a[5]; };
static long pick(int n, ...) { va_list l; va_start(l, n); struct big b = {{0}}; while (n--) b = va_arg(l, struct big); va_end(l); return b.a[4]; }
int main(void) {
  printf("%.2f\n", sum("idlsi", 3, 2.5, 100l, "A", 7)); printf("%.2f\n", sum("ddddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11.));
  int n = show("%d %s %.1f %c\n", 5, "five", 5.5, '5'); struct big x = {{1, 2, 3, 4, 5}}, y = {{6, 7, 8, 9, 10}};
  printf("%d %d %ld\n", n, calls, pick(2, x, y));
}
