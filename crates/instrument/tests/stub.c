// A stand-in for the runtime: it prints what instrumented code tells it (STUB_PRINT), or only takes the path of a
// controlled run (STUB_ACTIVE), with real threads.
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct raddle_site {
  const char *file, *function, *name;
  uint32_t line, column;
};
struct raddle_frame {
  struct raddle_frame *up;
  const struct raddle_site *call;
};
struct raddle_local {
  const void *initial;
  uint64_t size, align;
  uint32_t number;
};
typedef const struct raddle_site *site;

uint8_t __raddle_active;
__thread struct raddle_frame *__raddle_top __attribute__((tls_model("initial-exec")));
static int printing;

__attribute__((constructor)) static void start(void) {
  printing = getenv("STUB_PRINT") != NULL;
  __raddle_active = printing || getenv("STUB_ACTIVE") != NULL;
}

static void where(site s) {
  const char *file = strrchr(s->file, '/');
  fprintf(stderr, " | %s:%u:%u %s", file ? file + 1 : s->file, s->line, s->column & 0x7fffffff, s->function);
  if (s->name)
    fprintf(stderr, " `%s`", s->name);
  fputc('\n', stderr);
}

#define TELL(...)                                                                                                      \
  if (printing) {                                                                                                      \
    fprintf(stderr, __VA_ARGS__);                                                                                      \
    where(s);                                                                                                          \
  }

void __raddle_read(const void *at, uint64_t size, site s) { TELL("read %lu", size) }
void __raddle_write(void *at, uint64_t size, uint64_t value, site s) { TELL("write %lu = %lu", size, value) }
void __raddle_copy(void *to, const void *from, uint64_t size, site s) { TELL("copy %lu", size) }
void __raddle_fill(void *to, uint64_t size, uint64_t byte, site s) { TELL("fill %lu with %lu", size, byte) }
void __raddle_load(const void *at, uint64_t size, uint32_t order, site s) { TELL("load %lu order %u", size, order) }
void __raddle_store(void *at, uint64_t size, uint64_t value, uint32_t order, site s) {
  TELL("store %lu = %lu order %u", size, value, order)
}
void __raddle_rmw(void *at, uint64_t size, uint32_t operation, uint64_t operand, uint32_t order, site s) {
  TELL("rmw %lu operation %u with %lu order %u", size, operation, operand, order)
}
uint8_t __raddle_compare_exchange(void *at, uint64_t size, uint64_t expected, uint64_t desired, uint32_t weak,
                                  uint32_t success, uint32_t failure, site s) {
  TELL("compare-exchange %lu from %lu to %lu weak %u orders %u %u", size, expected, desired, weak, success, failure)
  return 0;
}
void __raddle_fence(uint32_t order, site s) { TELL("fence order %u", order) }
void __raddle_wait(site s) { TELL("wait") }
void __raddle_round(site s, site loop) { TELL("round") }
void __raddle_begin(site s) { TELL("begin") }
void __raddle_born(void *at, uint64_t size) {}
void __raddle_left(void *at, uint64_t size, site s) {}
void __raddle_error(site s) { TELL("error") }
void raddle_assume(uint32_t condition) { (void)condition; }
void __raddle_library(uint32_t function, uint32_t shared, uint64_t at, uint64_t second, uint64_t third, site s) {
  TELL("library %u shared %u", function, shared)
}

// A table of blocks for each thread.
void *__raddle_thread_local(struct raddle_local *local) {
  static uint32_t last;
  static __thread void *blocks[256];
  if (!__atomic_load_n(&local->number, __ATOMIC_ACQUIRE)) {
    uint32_t none = 0;
    uint32_t next = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&local->number, &none, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  void **block = &blocks[local->number];
  if (!*block) {
    *block = memalign(local->align < 16 ? 16 : local->align, local->size);
    if (local->initial)
      memcpy(*block, local->initial, local->size);
    else
      memset(*block, 0, local->size);
    if (printing)
      fprintf(stderr, "thread-local %u: %lu bytes, alignment %lu%s\n", local->number, local->size, local->align,
              local->initial ? ", initialised" : "");
  }
  return *block;
}

// Prints the calls that led here, the innermost first. Programs of the tests call it.
void print_calls(void) {
  if (printing)
    for (struct raddle_frame *frame = __raddle_top; frame; frame = frame->up) {
      fprintf(stderr, "call");
      where(frame->call);
    }
}

void __VERIFIER_atomic_begin(void) {
  if (printing)
    fputs("atomic begin\n", stderr);
}
void __VERIFIER_atomic_end(void) {
  if (printing)
    fputs("atomic end\n", stderr);
}

void *__raddle_malloc(size_t size) {
  if (printing)
    fprintf(stderr, "malloc %zu\n", size);
  return malloc(size);
}
void *__raddle_calloc(size_t count, size_t size) { return calloc(count, size); }
void *__raddle_realloc(void *block, size_t size) { return realloc(block, size); }
void __raddle_free(void *block) {
  if (printing)
    fputs("free\n", stderr);
  free(block);
}
void *__raddle_aligned_alloc(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
int __raddle_posix_memalign(void **block, size_t alignment, size_t size) { return posix_memalign(block, alignment, size); }
void *__raddle_memalign(size_t alignment, size_t size) { return memalign(alignment, size); }
void *__raddle_reallocarray(void *block, size_t count, size_t size) { return reallocarray(block, count, size); }
char *__raddle_strdup(const char *text) { return strdup(text); }
char *__raddle_strndup(const char *text, size_t length) { return strndup(text, length); }
