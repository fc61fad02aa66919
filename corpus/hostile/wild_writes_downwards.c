//! what: writes downwards from a global variable over everything that lies before it, until a page is missing
//! ending: crash | out-of-bounds
static volatile char anchor[16];

int main(void)
{
    volatile char *at = anchor;
    for (long i = 0; i < 1L << 32; i++)
        *--at = 0x5a;
    return 0;
}
