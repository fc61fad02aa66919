//! what: an exception that leaves a thread ends the program; it is thrown only if the reader is first
//! verdict: failed
//! finding: crash at 15
//! cflags: -std=c++17
#include <atomic>
#include <stdexcept>
#include <thread>

std::atomic<bool> configured;

int main()
{
    std::thread worker([] {
        if (!configured)
            throw std::runtime_error("not configured");
    });
    configured = true;
    worker.join();
}
