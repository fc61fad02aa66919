//! what: a semaphore hands over data from the thread that releases to the one that acquires
//! verdict: exhausted
//! cflags: -std=c++20
#include <cassert>
#include <semaphore>
#include <thread>

std::counting_semaphore<4> filled(0);
int data;

int main()
{
    std::thread producer([] {
        data = 42;
        filled.release();
    });
    filled.acquire();
    assert(data == 42);
    producer.join();
}
