//! what: a thread can be asked for its stack, its name and its policy
//! verdict: exhausted
//! runs: optimal-dpor 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

static void *ask(void *unused)
{
    pthread_attr_t attributes;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    void *low;
    size_t size;
    assert(pthread_attr_getstack(&attributes, &low, &size) == 0);
    char here;
    assert(&here > (char *)low && &here < (char *)low + size);
    pthread_attr_destroy(&attributes);

    char name[16];
    assert(pthread_setname_np(pthread_self(), "asks") == 0);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "asks") == 0);

    int policy = -1;
    struct sched_param parameters = {.sched_priority = -1};
    assert(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0);
    assert(policy == SCHED_OTHER && parameters.sched_priority == 0);
    return unused;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, 1 << 17) == 0);
    assert(pthread_attr_setguardsize(&attributes, 4096) == 0);
    pthread_t thread;
    assert(pthread_create(&thread, &attributes, ask, NULL) == 0);
    assert(!pthread_equal(thread, pthread_self()));
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return 0;
}
