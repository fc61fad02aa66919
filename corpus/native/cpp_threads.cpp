//! what: std::thread with std::mutex and std::lock_guard: three sections, 3! orders
//! verdict: exhausted
//! cflags: -std=c++17
//! runs: optimal-dpor 6
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

int main()
{
    std::mutex lock;
    int counter = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] {
            std::lock_guard<std::mutex> guard(lock);
            counter++;
        });
    for (auto &thread : threads)
        thread.join();
    assert(counter == 3);
}
