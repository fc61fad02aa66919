//! what: jumps out of twenty nested calls by longjmp, a thousand times
//! ending: exhausted
#include <setjmp.h>

static jmp_buf start;
static volatile int rounds;

static void down(int level)
{
    if (level == 0)
        longjmp(start, 1);
    down(level - 1);
}

int main(void)
{
    setjmp(start);
    rounds = rounds + 1;
    if (rounds < 1000)
        down(20);
    return 0;
}
