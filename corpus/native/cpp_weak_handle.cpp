//! what: expired() and lock() are two steps; between them the last owner can let go, and the null result is followed
//! verdict: failed
//! finding: crash
//! cflags: -std=c++17
#include <memory>
#include <thread>

struct Session {
    int number = 7;
};

int main()
{
    auto owner = std::make_shared<Session>();
    std::weak_ptr<Session> handle = owner;
    std::thread closer([own = std::move(owner)]() mutable { own.reset(); });
    int number = 0;
    if (!handle.expired())
        number = handle.lock()->number;
    closer.join();
    return number != 0 && number != 7;
}
