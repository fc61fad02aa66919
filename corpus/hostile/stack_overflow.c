//! what: main calls itself without end
//! ending: crash
static volatile int depth;

__attribute__((noinline)) static int deeper(int level)
{
    volatile char room[512];
    room[level % 512] = 1;
    depth = level;
    return deeper(level + 1) + room[0];
}

int main(void)
{
    return deeper(1);
}
