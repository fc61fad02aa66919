//! what: a static local variable is initialised once, whoever comes first, and all see it initialised
//! verdict: exhausted
//! cflags: -std=c++17
#include <cassert>
#include <thread>

int made;

struct Table {
    int size;
    Table() : size(42) { made++; }
};

const Table &table()
{
    static Table only;
    return only;
}

int main()
{
    auto use = [] { assert(table().size == 42); };
    std::thread one(use), other(use);
    one.join();
    other.join();
    assert(made == 1);
}
