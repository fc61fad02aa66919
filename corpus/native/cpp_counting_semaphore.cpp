//! what: a counting semaphore of two lets in two of three threads at a time
//! verdict: exhausted
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
