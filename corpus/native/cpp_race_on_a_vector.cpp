//! what: two threads append to one vector without a lock
//! verdict: failed
//! finding: data-race
//! cflags: -std=c++17
#include <thread>
#include <vector>

int main()
{
    std::vector<int> numbers;
    numbers.reserve(4);
    auto append = [&](int number) { numbers.push_back(number); };
    std::thread one(append, 1), other(append, 2);
    one.join();
    other.join();
}
