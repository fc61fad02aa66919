//! what: a detached thread keeps a reference to an object that main deletes
//! verdict: failed
//! finding: use-after-free
//! cflags: -std=c++17
#include <atomic>
#include <memory>
#include <thread>

std::atomic<bool> started, deleted;

int main()
{
    auto number = std::make_unique<int>(42);
    std::thread worker([&value = *number] {
        started = true;
        if (deleted)
            value++;
    });
    if (started) {
        number.reset();
        deleted = true;
    }
    worker.join();
}
