// A sieve, a matrix product, a hash table, a binary tree, a string builder: pointers into shared and private memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct tree { int key; struct tree *left, *right; }; static struct tree *root; static char sieve[1000]; static int m[8][8], product[8][8]; static struct { const char *key; int value; } hash[64];
static struct tree **find(struct tree **t, int key) { while (*t && (*t)->key != key) t = key < (*t)->key ? &(*t)->left : &(*t)->right; return t; } static void add(int key) { struct tree **t = find(&root, key); if (!*t) { *t = calloc(1, sizeof **t); (*t)->key = key; } } static int height(struct tree *t) { if (!t) return 0; int l = height(t->left), r = height(t->right); return 1 + (l > r ? l : r); } static void drop(struct tree *t) { if (t) { drop(t->left); drop(t->right); free(t); } }
static int *slot(const char *key) { unsigned h = 5381; for (const char *c = key; *c; c++) h = h * 33 + (unsigned char)*c; while (hash[h % 64].key && strcmp(hash[h % 64].key, key)) h++; hash[h % 64].key = key; return &hash[h % 64].value; }
int main(void) {
  int primes = 0; for (int i = 2; i < 1000; i++) { if (sieve[i]) continue; primes++; for (int j = i * i; j < 1000; j += i) sieve[j] = 1; } for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) m[i][j] = i * 8 + j; for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) for (int k = 0; k < 8; k++) product[i][j] += m[i][k] * m[k][j];
  unsigned x = 1; for (int i = 0; i < 200; i++) { x = x * 1103515245 + 12345; add((x >> 16) % 500); } static const char *words[] = {"a", "b", "a", "c", "b", "a"}; for (int i = 0; i < 6; i++) ++*slot(words[i]); char *text = NULL; size_t length = 0; for (int i = 0; i < 20; i++) { text = realloc(text, length + 8); length += (size_t)sprintf(text + length, "%d,", i); } printf("%d %d %d %d %d %s\n", primes, product[3][4], height(root), *slot("a"), *slot("b"), text); free(text); drop(root);
}
