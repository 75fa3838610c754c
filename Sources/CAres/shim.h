// What c-ares takes from the C library must stay the C library's: of an enumeration that two modules
// define, such as SOCK_STREAM, Swift sees one alone, and a file without CAres then sees none.
#pragma clang module import SwiftGlibc
#include <ares.h>
