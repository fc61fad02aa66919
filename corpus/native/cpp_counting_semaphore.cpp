//! what: libstdc++ 12 (GCC bug 104928): who loses the race for a permit goes to sleep beside it, and release wakes nobody, as it was not 0
//! verdict: failed
//! finding: deadlock
//! cflags: -std=c++20
#include <atomic>
#include <cassert>
#include <semaphore>
#include <thread>
#include <vector>

std::counting_semaphore<2> permits(2);
std::atomic<int> inside;

int main()
{
    auto work = [] {
        permits.acquire();
        int now = ++inside;
        assert(now <= 2);
        --inside;
        permits.release();
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work);
    for (auto &thread : threads)
        thread.join();
}
