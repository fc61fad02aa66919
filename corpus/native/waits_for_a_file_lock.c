//! what: a thread waits in a call that is not under control, so the run cannot go on
//! verdict: untrusted
//! flags: --max-run-time 1s
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static char again[64];

static void *lock_again(void *argument)
{
    int file = open(again, O_RDWR);
    assert(file >= 0);
    flock(file, LOCK_EX);
    close(file);
    return argument;
}

int main(void)
{
    char name[] = "/tmp/file-lock-XXXXXX";
    int file = mkstemp(name);
    assert(file >= 0 && unlink(name) == 0);
    snprintf(again, sizeof again, "/proc/self/fd/%d", file);
    flock(file, LOCK_EX);
    pthread_t other;
    pthread_create(&other, NULL, lock_again, NULL);
    pthread_join(other, NULL);
    return 0;
}
