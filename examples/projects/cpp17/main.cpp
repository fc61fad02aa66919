// Adds up lines in parallel, and counts those that are no numbers.
#include <cassert>
#include <string>
#include <vector>

#include "parallel.hpp"
#include "parser.hpp"

namespace {

/// The bug: tasks count in a plain variable.
int bad_lines = 0;

int parse_or_zero(const std::string &line)
{
    try {
        return parse(line);
    } catch (const ParseError &) {
        bad_lines++;
        return 0;
    }
}

} // namespace

int main()
{
    const std::vector<std::string> lines = {"40", "two", "2", ""};
    int sum = parallel(lines, 0, parse_or_zero, [](int left, int right) { return left + right; });
    assert(sum == 42);
    assert(bad_lines == 2);
}
