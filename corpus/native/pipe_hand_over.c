//! what: a read from a pipe waits for the write; what was written before it may be read after it
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused)
{
    char byte = 'x';
    ssize_t written = write(ends[1], &byte, 1);
    assert(written == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte = 0;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, writer, NULL);
    ssize_t got = read(ends[0], &byte, 1);
    assert(got == 1 && byte == 'x');
    pthread_join(thread, NULL);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
