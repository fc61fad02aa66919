// Atomics of every size, as of C11, as __sync_* and as __atomic_*, the large ones through the library.
//! flags: -latomic
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
_Atomic uint8_t a8; _Atomic uint16_t a16; _Atomic uint32_t a32; _Atomic uint64_t a64; _Atomic(_Bool) ab; _Atomic float af = 1.5f; _Atomic(double) ad = 2; int cells[4]; _Atomic(int *) pointer = cells; volatile int vol; atomic_flag flag = ATOMIC_FLAG_INIT;
struct three { char c[3]; }; struct big { long a, b, c; }; _Atomic struct three a3; _Atomic struct big a24; long plain;
#define ROUND(x) atomic_store(&x, 5); atomic_fetch_add(&x, 3); atomic_fetch_sub_explicit(&x, 1, memory_order_relaxed); atomic_fetch_or(&x, 0x10); atomic_fetch_and_explicit(&x, 0x1e, memory_order_acq_rel); atomic_fetch_xor(&x, 2); printf("%ld ", (long)atomic_exchange(&x, 9));
#define SWAP(x, type) { type e = 9; _Bool ok = atomic_compare_exchange_strong(&x, &e, 11); type w = 1; _Bool no = atomic_compare_exchange_weak_explicit(&x, &w, 12, memory_order_release, memory_order_relaxed); printf("%d %d %ld %ld\n", ok, no, (long)w, (long)x); }
int main(void) {
  ROUND(a8) SWAP(a8, uint8_t) ROUND(a16) SWAP(a16, uint16_t) ROUND(a32) SWAP(a32, uint32_t) ROUND(a64) SWAP(a64, uint64_t)
  ab = 1; af += 2; ad *= 3; pointer++; *pointer = 4; vol++; vol += vol;
  printf("%d %.1f %.1f %d %d %d\n", ab, (double)af, (double)ad, *pointer, cells[1], vol);
  struct three t = {"ab"}; a3 = t; struct three u = a3; struct big b = {1, 2, 3}; a24 = b; struct big c = atomic_exchange(&a24, ((struct big){4, 5, 6}));
  struct big e = {4, 5, 6}; int swapped = atomic_compare_exchange_strong(&a24, &e, c); e = a24;
  printf("%s %ld %d %ld\n", u.c, c.b, swapped, e.c);
  printf("%ld ", __sync_fetch_and_add(&plain, 5)); printf("%ld ", __sync_val_compare_and_swap(&plain, 5, 8)); printf("%d ", __sync_bool_compare_and_swap(&plain, 5, 9)); printf("%ld ", __sync_lock_test_and_set(&plain, 3)); __sync_lock_release(&plain); __sync_synchronize();
  printf("%ld ", __atomic_add_fetch(&plain, 2, __ATOMIC_SEQ_CST)); printf("%ld ", __atomic_fetch_nand(&plain, 2, __ATOMIC_ACQUIRE)); long out; __atomic_load(&plain, &out, __ATOMIC_CONSUME); printf("%ld ", out); printf("%ld ", __atomic_exchange_n(&plain, 77, __ATOMIC_RELEASE)); printf("%ld ", __atomic_load_n(&plain, __ATOMIC_RELAXED)); printf("%ld\n", __atomic_fetch_max(&cells[2], 6, __ATOMIC_RELAXED) + __atomic_fetch_min(&cells[2], -6, __ATOMIC_RELAXED));
  printf("%d %d\n", atomic_flag_test_and_set(&flag), atomic_flag_test_and_set(&flag)); atomic_flag_clear(&flag); atomic_thread_fence(memory_order_seq_cst); atomic_signal_fence(memory_order_acquire); printf("%d\n", cells[2]);
}
