//! what: writes to an address that belongs to nobody
//! ending: crash
#include <stdint.h>

int main(void)
{
    volatile uintptr_t address = 0x123456789000;
    *(volatile int *)address = 1;
    return 0;
}
