//! what: sleep_for and sleep_until pass no real time, and a sleep does not order two threads
//! verdict: failed
//! finding: data-race
//! cflags: -std=c++17
#include <chrono>
#include <thread>

int result;

int main()
{
    using namespace std::chrono_literals;
    std::thread worker([] {
        std::this_thread::sleep_for(1ms);
        result = 42;
    });
    std::this_thread::sleep_until(std::chrono::steady_clock::now() + 24h);
    int seen = result;
    worker.join();
    return seen < 0;
}
