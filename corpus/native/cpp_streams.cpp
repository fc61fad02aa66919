//! what: settings of std::cout and its friends that one run leaves behind are not seen by the next
//! verdict: exhausted
//! runs: optimal-dpor 2
//! blocked: optimal-dpor 0
//! isolation: inline
#include "shared/streams.h"

int main() {
    return body();
}
