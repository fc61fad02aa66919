//! what: computes for ever without any operation that others could see
//! ending: livelock | stopped
static volatile int sink;

int main(void)
{
    for (unsigned i = 1; i; i |= 1) {
        i += 2;
        if (i == 0)
            sink = 1;
    }
    return 0;
}
