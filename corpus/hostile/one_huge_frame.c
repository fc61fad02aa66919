//! what: one frame is larger than the whole stack, so that its far end jumps over any guard page
//! ending: crash
__attribute__((noinline)) static int huge(int value)
{
    volatile char room[512L * 1024 * 1024];
    room[0] = (char)value;
    return room[0];
}

int main(void)
{
    return huge(0);
}
