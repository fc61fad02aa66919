//! what: pthread_exit runs the destructors of what is on the stack: the guard gives its lock back, so nobody waits for ever
//! verdict: exhausted
//! runs: optimal-dpor 2
#include <cassert>
#include <mutex>
#include <pthread.h>

static std::mutex lock;
static int left;

struct Guard {
    Guard() { lock.lock(); }
    ~Guard()
    {
        left++;
        lock.unlock();
    }
};

static void leave()
{
    Guard guard;
    pthread_exit(reinterpret_cast<void *>(1));
}

static void *work(void *)
{
    leave();
    return nullptr;
}

int main()
{
    pthread_t a, b;
    void *result;
    pthread_create(&a, nullptr, work, nullptr);
    pthread_create(&b, nullptr, work, nullptr);
    pthread_join(a, &result);
    assert(result == reinterpret_cast<void *>(1));
    pthread_join(b, nullptr);
    assert(left == 2);
}
