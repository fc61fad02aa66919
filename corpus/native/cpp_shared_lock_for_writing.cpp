//! what: a counter is changed under a shared lock, which does not keep other readers out
//! verdict: failed
//! finding: data-race at 14
//! cflags: -std=c++17
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int lookups;

void look_up()
{
    std::shared_lock<std::shared_mutex> guard(lock);
    lookups++;
}

int main()
{
    std::thread one(look_up), other(look_up);
    one.join();
    other.join();
}
