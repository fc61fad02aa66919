//! what: a promise hands over its value, or its exception, to the future that waits
//! verdict: exhausted
//! cflags: -std=c++17
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::promise<int> good, bad;
    std::future<int> value = good.get_future(), error = bad.get_future();
    std::thread producer([&] {
        good.set_value(42);
        bad.set_exception(std::make_exception_ptr(std::runtime_error("no")));
    });
    assert(value.get() == 42);
    bool caught = false;
    try {
        error.get();
    } catch (const std::runtime_error &) {
        caught = true;
    }
    assert(caught);
    producer.join();
}
