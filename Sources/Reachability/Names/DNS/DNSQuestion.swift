internal import CAres
internal import Glibc
internal import Posix

/// A question that is under way on a channel.
///
/// Lives on the channel's event loop.
final class DNSQuestion {
  let family: IPAddress.Family
  fileprivate(set) var completion: ((DNSAnswer) -> Void)?
  /// Where the answer waits until c-ares has returned: inside its callback a channel must not end.
  private let answers: DNSAnswers

  init(
    _ family: IPAddress.Family, _ answers: DNSAnswers, completion: @escaping (DNSAnswer) -> Void
  ) {
    self.family = family
    self.answers = answers
    self.completion = completion
  }

  /// Has the answer dropped when it comes.
  func cancel() { completion = nil }

  /// Takes what c-ares found, its status and the message, where one came.
  func take(status: Int32, message: UnsafeBufferPointer<UInt8>) {
    answers.waiting.append((self, DNSAnswer(status: status, message: message, family)))
  }

  /// Calls the completion, once.
  func finish(_ answer: DNSAnswer) {
    let completion = completion
    self.completion = nil
    completion?(answer)
  }
}

/// The answers that a channel has yet to hand over.
final class DNSAnswers {
  var waiting = FIFO<(DNSQuestion, DNSAnswer)>()
}

extension DNSAnswer {
  /// What c-ares' status and the message that came say; ares_query(3).
  init(status: Int32, message: UnsafeBufferPointer<UInt8>, _ family: IPAddress.Family) {
    switch status {
    case ARES_SUCCESS: self.init(parsing: message, family)
    case ARES_ENODATA: self = message.isReferral ? .failure(.failed) : .noData
    case ARES_ENOTFOUND: self = .noSuchName
    case ARES_ETIMEOUT: self = .failure(.silent)
    case ARES_ESERVFAIL: self = .failure(.failed)
    case ARES_EREFUSED: self = .failure(.refused)
    case ARES_EFORMERR, ARES_ENOTIMP: self = .failure(.notImplemented)
    case ARES_EBADRESP, ARES_EBADNAME, ARES_EBADSTR: self = .failure(.malformed)
    case ARES_ECONNREFUSED: self = .failure(.unreachable)
    default: self = .failure(.notAsked)
    }
  }

  /// The addresses of a family in a whole message.
  init(parsing message: UnsafeBufferPointer<UInt8>, _ family: IPAddress.Family) {
    let (status, records) =
      family == .ipv4
      ? parse(message, ares_addrttl(), \.ipaddr, \.ttl, ares_parse_a_reply)
      : parse(message, ares_addr6ttl(), \.ip6addr, \.ttl, ares_parse_aaaa_reply)
    switch status {
    case ARES_SUCCESS where !records.isEmpty:
      let addresses = Set(records.map(\.address)).sorted().prefix(DNSAnswer.mostAddresses)
      let seconds = records.lazy.map(\.seconds).min() ?? 0
      self = .addresses(Array(addresses), lifetime: .seconds(max(0, seconds)))
    case ARES_SUCCESS, ARES_ENODATA: self = .noData
    case ARES_ENOMEM: self = .failure(.notAsked)
    default: self = .failure(.malformed)
    }
  }
}

/// The smallest record with an IPv4 address: a compressed name, its fixed part, the address.
private let smallestRecord = 2 + 10 + 4

/// Has c-ares read all records of a message.
private func parse<Record, Address>(
  _ message: UnsafeBufferPointer<UInt8>, _ empty: Record, _ address: KeyPath<Record, Address>,
  _ seconds: KeyPath<Record, Int32>,
  _ read: (
    UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<hostent>?>?,
    UnsafeMutablePointer<Record>?, UnsafeMutablePointer<Int32>?
  ) -> Int32
) -> (status: Int32, records: [(address: IPAddress, seconds: Int32)]) {
  var records = Array(repeating: empty, count: message.count / smallestRecord + 1)
  var count = Int32(records.count)
  let status = read(message.baseAddress, Int32(message.count), nil, &records, &count)
  guard status == ARES_SUCCESS else { return (status, []) }
  return (
    status,
    records.prefix(max(0, Int(count))).compactMap { record in
      withUnsafeBytes(of: record[keyPath: address]) { IPAddress(networkBytes: $0) }
        .map { ($0.unmapped, record[keyPath: seconds]) }
    }
  )
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether a server without the answer sends us to others, instead of asking them for us: neither
  /// authoritative nor recursive (the bits AA and RA of RFC 1035, 4.1.1).
  fileprivate var isReferral: Bool { count >= 12 && self[2] & 0x04 == 0 && self[3] & 0x80 == 0 }
}
