//! what: overwrites the return addresses of its own callers, and returns
//! ending: crash
__attribute__((noinline)) static void smash(volatile long *frame)
{
    for (int i = 0; i < 256; i++)
        frame[i] = 0x41;
}

int main(void)
{
    volatile long here[2] = {0, 0};
    smash(here);
    return (int)here[1];
}
