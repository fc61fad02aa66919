//! what: a constructor never returns, so main is never reached
//! ending: livelock | stopped | untrusted | not-started
__attribute__((constructor)) static void stuck(void)
{
    for (;;)
        __asm__ volatile("");
}

int main(void)
{
    return 0;
}
