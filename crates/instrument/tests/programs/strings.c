// The string functions, sorting with a callback, the heap with all its functions.
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compares; static int order(const void *a, const void *b) { compares++; return strcmp(*(char *const *)a, *(char *const *)b); }
static void *(*allocate)(size_t) = malloc; static void (*release)(void *) = free;
int main(int argc, char **argv) {
  char text[] = "the quick brown fox jumps over the lazy dog"; char *words[16]; int n = 0;
  for (char *w = strtok(text, " "); w; w = strtok(NULL, " ")) words[n++] = strdup(w);
  qsort(words, n, sizeof *words, order); for (int i = 0; i < n; i++) printf("%s ", words[i]); puts(compares > 0 ? "sorted" : "");
  char *big = allocate(10); strcpy(big, "abc"); big = realloc(big, 1000); strcat(big, "def"); char *zero = calloc(4, 8); char *half = strndup(big, 2); big = reallocarray(big, 20, 100);
  void *aligned = NULL; int error = posix_memalign(&aligned, 64, 100); char *other = aligned_alloc(32, 64), *third = memalign(16, 16); memset(other, 'x', 63); other[63] = 0;
  printf("%s %d %s %d %d %zu %d\n", big, zero[31], half, error, (int)((size_t)aligned % 64), strlen(other), memcmp(big, "abcdef", 6)); memcpy(third, big, 7); puts(third);
  for (int i = 0; i < n; i++) free(words[i]); release(big); free(zero); free(half); free(aligned); free(other); free(third); free(NULL); printf("%d %s\n", argc, argv[1] ? argv[1] : "none");
}
