#include "parser.hpp"

int parse(const std::string &line)
{
    int number = 0;
    if (line.empty())
        throw ParseError("an empty line");
    for (char digit : line) {
        if (digit < '0' || digit > '9')
            throw ParseError("not a number: " + line);
        number = number * 10 + (digit - '0');
    }
    return number;
}
