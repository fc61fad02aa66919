/* Two threads print under a lock, and leave every setting of the standard streams changed. A run begins with those of a new
   process. */
#include <cassert>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

static std::mutex guard;

static void check_fresh(std::ostream &stream, const std::ostream *tied) {
    assert((stream.flags() & std::ios::basefield) == std::ios::dec);
    assert(!(stream.flags() & (std::ios::boolalpha | std::ios::showbase)));
    assert(stream.width() == 0 && stream.precision() == 6 && stream.fill() == ' ');
    assert(stream.tie() == tied && stream.good());
}

static void print(int number) {
    std::lock_guard<std::mutex> held(guard);
    std::ostringstream line;
    line << std::setw(4) << number << std::endl;
    std::cout << std::hex << std::boolalpha << number << line.str() << std::flush;
    std::cerr << std::showbase << std::hex << number << '\n';
}

static int body() {
    check_fresh(std::cout, nullptr);
    check_fresh(std::cerr, &std::cout);
    check_fresh(std::clog, nullptr);
    int number = 0;
    std::cin >> number;
    assert(number == 0 && std::cin.eof());
    std::thread one(print, 1), two(print, 2);
    one.join();
    two.join();
    std::cout << std::setfill('*') << std::setprecision(2);
    std::cout.width(9);
    std::cout.tie(&std::clog);
    std::clog.setstate(std::ios::failbit);
    return 0;
}
