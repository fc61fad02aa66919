//! what: a packaged_task is run by another thread and its result waited for with a time-out that is handled
//! verdict: exhausted
//! cflags: -std=c++17
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main()
{
    std::packaged_task<int(int)> square([](int x) { return x * x; });
    std::future<int> result = square.get_future();
    std::thread worker(std::move(square), 6);
    std::future_status status = result.wait_for(std::chrono::seconds(1));
    assert(status == std::future_status::ready || status == std::future_status::timeout);
    assert(result.get() == 36);
    worker.join();
}
