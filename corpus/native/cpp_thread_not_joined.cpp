//! what: a std::thread is destroyed without join or detach when an early return is taken
//! verdict: failed
//! finding: crash
//! cflags: -std=c++17
#include <atomic>
#include <thread>

std::atomic<bool> failed;

int main()
{
    std::thread worker([] { failed = true; });
    if (failed)
        return 1;
    worker.join();
}
