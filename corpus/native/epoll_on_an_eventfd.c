//! what: waits by epoll, told once, for an event descriptor that another thread writes to
//! verdict: exhausted
//! runs: optimal-dpor 2
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event;

static void *wake(void *argument)
{
    uint64_t one = 1;
    assert(write(event, &one, sizeof one) == sizeof one);
    return argument;
}

int main(void)
{
    event = eventfd(0, 0);
    int set = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLET, .data.fd = event};
    assert(epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted) == 0);
    pthread_t waker;
    pthread_create(&waker, NULL, wake, NULL);
    struct epoll_event got;
    assert(epoll_wait(set, &got, 1, -1) == 1 && got.data.fd == event);
    uint64_t count = 0;
    assert(read(event, &count, sizeof count) == sizeof count && count == 1);
    pthread_join(waker, NULL);
    close(set);
    close(event);
    return 0;
}
