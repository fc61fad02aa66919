//! what: two threads wait for each other's semaphore first
//! verdict: failed
//! finding: deadlock
//! cflags: -std=c++20
#include <semaphore>
#include <thread>

std::binary_semaphore ping(0), pong(0);

int main()
{
    std::thread player([] {
        ping.acquire();
        pong.release();
    });
    pong.acquire();
    ping.release();
    player.join();
}
