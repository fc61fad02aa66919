//! what: one frame is larger than the whole stack, so that its far end jumps over any guard page
//! ending: crash
static volatile long far;

__attribute__((noinline)) static int huge(int value)
{
    volatile char room[512L * 1024 * 1024];
    room[far] = (char)value;
    return room[far];
}

int main(void)
{
    return huge(0);
}
