// Structures by value, by pointer, in arrays, returned, compared, nested, with flexible members; unions.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct point { int x, y; };
struct line { struct point from, to; char name[24]; double weight; };
struct list { size_t count; struct line lines[]; };
union number { float f; unsigned u; unsigned char bytes[4]; };
static struct line lines[4];
static struct line make(int i) { struct line l = {{i, i + 1}, {i * 2, i * 3}, "", i / 2.0}; snprintf(l.name, sizeof l.name, "line %d", i); return l; }
static struct point middle(struct line l) { l.name[0] = '!'; return (struct point){(l.from.x + l.to.x) / 2, (l.from.y + l.to.y) / 2}; }
static struct list *collect(int n) {
  struct list *list = malloc(sizeof *list + n * sizeof(struct line));
  list->count = n;
  for (int i = 0; i < n; i++) list->lines[i] = lines[i % 4];
  return list;
}
int main(void) {
  for (int i = 0; i < 4; i++) lines[i] = make(i + 1);
  lines[2] = lines[3]; memmove(&lines[0], &lines[1], 2 * sizeof lines[0]);
  struct list *list = collect(7);
  struct line copy = list->lines[5]; copy.weight *= 2; *(volatile double *)&copy.weight += 1;
  for (size_t i = 0; i < list->count; i++) { struct point m = middle(list->lines[i]); printf("%s %d %d %.1f\n", list->lines[i].name, m.x, m.y, list->lines[i].weight); }
  union number n = {.f = 1.0f}; n.bytes[3] ^= 0x80; printf("%.1f %x %.1f %zu\n", n.f, n.u, copy.weight, offsetof(struct line, weight));
  memset(list->lines, 7, sizeof(struct line)); printf("%x\n", list->lines[0].to.y); free(list);
}
