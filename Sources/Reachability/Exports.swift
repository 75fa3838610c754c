// The one type from beneath that users of the library meet: the addresses of a `Path`. With this,
// `import Reachability` alone makes it and its members known.
@_exported public import struct Posix.IPAddress
