//! what: writes upwards from a global variable over all static memory behind it, until a page is missing
//! ending: crash | out-of-bounds
static char anchor[16];
static char *volatile start = anchor;

int main(void)
{
    char *at = start;
    for (long i = 0; i < 1L << 32; i++)
        *++at = 0x5a;
    return 0;
}
