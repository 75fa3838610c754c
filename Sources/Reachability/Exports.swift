// The types from beneath that users of the library meet, in a `Path` and in a `Network`. With these,
// `import Reachability` alone makes them and their members known.
@_exported public import struct Posix.HardwareAddress
@_exported public import struct Posix.IPAddress
@_exported public import struct Posix.Subnet
