//! what: a buffer is filled from a pipe while another thread looks into it
//! verdict: failed
//! finding: data-race
//! flags: --isolation fork
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static char buffer[8];

static void *fill(void *unused)
{
    read(ends[0], buffer, sizeof buffer);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    write(ends[1], "hello", 5);
    pthread_create(&thread, NULL, fill, NULL);
    char seen = buffer[0];
    pthread_join(thread, NULL);
    return seen == 'x';
}
