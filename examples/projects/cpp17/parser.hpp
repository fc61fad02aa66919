#pragma once

#include <stdexcept>
#include <string>

/// What is wrong with a line.
struct ParseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The number that a line holds.
int parse(const std::string &line);
