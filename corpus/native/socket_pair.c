//! what: send and recv on a socket pair, with poll before: enabled when ready
//! verdict: exhausted
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int end[2];

static void *server(void *unused)
{
    char question;
    ssize_t got = recv(end[1], &question, 1, 0);
    assert(got == 1 && question == '?');
    ssize_t sent = send(end[1], "!", 1, 0);
    assert(sent == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char answer = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end) != 0)
        return 1;
    pthread_create(&thread, NULL, server, NULL);
    ssize_t sent = send(end[0], "?", 1, 0);
    assert(sent == 1);
    struct pollfd wait = {.fd = end[0], .events = POLLIN};
    int ready = poll(&wait, 1, -1);
    assert(ready == 1 && (wait.revents & POLLIN));
    ssize_t got = recv(end[0], &answer, 1, 0);
    assert(got == 1 && answer == '!');
    pthread_join(thread, NULL);
    close(end[0]);
    close(end[1]);
    return 0;
}
