//! what: an exception leaves main while a destructor throws another one
//! ending: crash
//! cflags: -std=c++17
#include <stdexcept>

struct Bomb {
    ~Bomb() noexcept(false) { throw std::runtime_error("second"); }
};

int main()
{
    Bomb bomb;
    throw std::runtime_error("first");
}
