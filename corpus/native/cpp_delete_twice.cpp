//! what: both threads see the pointer and both delete
//! verdict: failed
//! finding: double-free
//! cflags: -std=c++17
#include <atomic>
#include <thread>

struct Connection {
    int number = 7;
};

std::atomic<Connection *> connection;

void close()
{
    if (Connection *seen = connection.load()) {
        connection.store(nullptr);
        delete seen;
    }
}

int main()
{
    connection = new Connection;
    std::thread one(close), other(close);
    one.join();
    other.join();
}
