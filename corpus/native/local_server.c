//! what: accept, connect and select on a local socket: the client comes before or after the server listens to it
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// An abstract name, so that no file is left behind.
static const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0raddle-corpus"};
static const socklen_t length = offsetof(struct sockaddr_un, sun_path) + 14;

static void *client(void *unused)
{
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    int connected = connect(connection, (const struct sockaddr *)&address, length);
    assert(connected == 0);
    ssize_t written = write(connection, "hello", 5);
    assert(written == 5);
    close(connection);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[5];
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (const struct sockaddr *)&address, length) != 0 || listen(listener, 1) != 0)
        return 1;
    pthread_create(&thread, NULL, client, NULL);
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(listener, &readable);
    int ready = select(listener + 1, &readable, NULL, NULL, NULL);
    assert(ready == 1);
    int connection = accept(listener, NULL, NULL);
    assert(connection >= 0);
    ssize_t got = read(connection, text, sizeof text);
    assert(got == 5);
    pthread_join(thread, NULL);
    close(connection);
    close(listener);
    return 0;
}
