//! what: undetermined inputs of types that only the program names
//! verdict: exhausted
#include <pthread.h>

extern signed char __VERIFIER_nondet_schar(void);
extern unsigned char __VERIFIER_nondet_u8(void);
extern unsigned short __VERIFIER_nondet_u16(void);
extern unsigned long __VERIFIER_nondet_sector_t(void);
extern const char *__VERIFIER_nondet_pchar(void);

static long sum;

static void *draw(void *unused)
{
    sum += __VERIFIER_nondet_schar() + __VERIFIER_nondet_u8() + __VERIFIER_nondet_u16();
    sum += (long)__VERIFIER_nondet_sector_t() + (__VERIFIER_nondet_pchar() != NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, draw, NULL);
    pthread_join(thread, NULL);
    return 0;
}
