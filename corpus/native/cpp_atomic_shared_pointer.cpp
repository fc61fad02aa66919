//! what: a shared pointer that is replaced while another thread reads it, both atomically: what the library does inside is no race
//! verdict: exhausted
//! cflags: -std=c++20
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> current{std::make_shared<int>(1)};

int main()
{
    std::thread thread([] { current.store(std::make_shared<int>(2)); });
    std::shared_ptr<int> seen = current.load();
    assert(*seen == 1 || *seen == 2);
    thread.join();
    assert(*current.load() == 2);
}
