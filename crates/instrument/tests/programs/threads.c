//! flags: -pthread
// Threads, locks, condition variables, thread-local variables with initial values, C11 threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int queue[16], head, tail, sum; static __thread int mine = 40; _Thread_local struct { long a; char b[20]; } record = {3, "text"}; static _Thread_local int *where = &sum; __thread int counter;
static int *address(void) { return &mine; }
static void *consumer(void *arg) { int local = 0; for (int i = 0; i < 8; i++) { pthread_mutex_lock(&lock); while (head == tail) pthread_cond_wait(&ready, &lock); local += queue[head++ % 16]; pthread_mutex_unlock(&lock); mine++; record.a += 2; record.b[0]++; *address() += 1; } pthread_mutex_lock(&lock); *where += local; pthread_mutex_unlock(&lock); *(long *)arg = mine * 1000 + record.a * 10 + record.b[0]; return arg; }
static int c11(void *arg) { for (int i = 0; i < 5; i++) counter += i; return counter + *(int *)arg + mine; }
int main(void) {
  pthread_t t[2]; long results[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, consumer, &results[i]);
  for (int i = 0; i < 16; i++) { pthread_mutex_lock(&lock); queue[tail++ % 16] = i; pthread_cond_broadcast(&ready); pthread_mutex_unlock(&lock); }
  for (int i = 0; i < 2; i++) { void *r; pthread_join(t[i], &r); printf("%ld\n", *(long *)r); }
  thrd_t c; int start = 100, result; thrd_create(&c, c11, &start); thrd_join(c, &result); printf("%d %d %d %ld %s %d\n", result, sum, mine, record.a, record.b, counter);
}
