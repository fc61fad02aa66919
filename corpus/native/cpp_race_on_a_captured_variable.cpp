//! what: a lambda captures a local variable by reference, and two threads write it
//! verdict: failed
//! finding: data-race at 11
//! cflags: -std=c++17
#include <thread>

int main()
{
    int hits = 0;
    auto visit = [&hits] {
        hits++;
    };
    std::thread one(visit), other(visit);
    one.join();
    other.join();
    return hits > 2;
}
