//! what: two threads let go of one shared_ptr each; the object is destroyed once, after both
//! verdict: exhausted
//! cflags: -std=c++17
//! flags: --leaks
#include <cassert>
#include <memory>
#include <thread>

int destroyed;

struct Object {
    int value = 42;
    ~Object() { destroyed++; }
};

int main()
{
    auto object = std::make_shared<Object>();
    auto use = [](std::shared_ptr<Object> own) { assert(own->value == 42); };
    std::thread one(use, object), other(use, std::move(object));
    one.join();
    other.join();
    assert(destroyed == 1);
}
