//! what: std::async computes in a thread of its own, and get waits for it
//! verdict: exhausted
//! cflags: -std=c++17
#include <cassert>
#include <future>

int main()
{
    auto half = [](int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i++)
            sum += i;
        return sum;
    };
    auto low = std::async(std::launch::async, half, 0, 50);
    auto high = std::async(std::launch::async, half, 50, 100);
    int sum = low.get() + high.get();
    assert(sum == 4950);
}
