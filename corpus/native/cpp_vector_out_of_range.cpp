//! what: an index beyond the end of a vector, used only if the other thread has not filled it yet
//! verdict: failed
//! finding: assertion at 20
//! cflags: -std=c++17
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<int> values;

int main()
{
    std::thread filler([] {
        std::lock_guard<std::mutex> guard(lock);
        values.push_back(1);
    });
    lock.lock();
    values.reserve(8);
    int first = values[0];
    lock.unlock();
    filler.join();
    return first - 1;
}
