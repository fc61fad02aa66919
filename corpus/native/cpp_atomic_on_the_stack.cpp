//! what: a function waits for an atomic on its stack and returns, while the other thread may still write it
//! verdict: failed
//! finding: use-after-free at 13
//! cflags: -std=c++20
#include <atomic>
#include <thread>

static void wait_for(std::thread &thread)
{
    std::atomic<int> done{0};
    thread = std::thread([&done] {
        done.store(1);
        done.store(2);
    });
    while (done.load() == 0)
        std::this_thread::yield();
}

int main()
{
    std::thread thread;
    wait_for(thread);
    thread.join();
}
