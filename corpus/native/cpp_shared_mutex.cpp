//! what: readers share a std::shared_mutex, the writer has it alone: two readers and a writer, 2^2 traces
//! verdict: exhausted
//! cflags: -std=c++17
//! runs: optimal-dpor 4
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int left, right;

int main()
{
    auto read = [] {
        std::shared_lock<std::shared_mutex> guard(lock);
        assert(left == right);
    };
    std::thread one(read), other(read);
    std::thread writer([] {
        std::unique_lock<std::shared_mutex> guard(lock);
        left++;
        right++;
    });
    one.join();
    other.join();
    writer.join();
}
