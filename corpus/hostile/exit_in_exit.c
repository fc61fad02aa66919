//! what: an exit handler calls exit again, and another one aborts
//! ending: crash
#include <stdlib.h>

static void again(void)
{
    exit(1);
}

static void give_up(void)
{
    abort();
}

int main(void)
{
    atexit(give_up);
    atexit(again);
    return 0;
}
