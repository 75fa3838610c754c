internal import CNetlink
internal import Glibc
public import Posix

/// Asks the kernel for links, addresses and routes.
///
/// The kernel answers a request while it is being sent, so nothing here waits.
public struct RequestSocket: ~Copyable {
  private let socket: NetlinkSocket
  private var writer = MessageWriter()
  private var sequence: UInt32 = 0

  /// Replies to more lookups than this at once would overrun the default receive buffer.
  static let largestBatch = 200

  /// Opens the socket; no privilege needed.
  public init() throws(SystemError) {
    socket = try NetlinkSocket()
    // Without strict checking the kernel ignores what it does not know in a request.
    _ = socket.enable(Int32(NETLINK_GET_STRICT_CHK))
    _ = socket.enable(Int32(NETLINK_CAP_ACK))
  }

  /// Waits until changes in progress are finished, and has pending carrier changes of these
  /// interfaces worked out.
  ///
  /// A request for one link queues behind the kernel's lock of the network tables; a dump does not.
  public mutating func synchronize(_ interfaces: [Int32]) throws(SystemError) {
    writer.removeAll()
    for interface in interfaces.isEmpty ? [1] : interfaces {
      sequence &+= 1
      var info = ifinfomsg()
      info.ifi_index = interface
      writer.request(Int(RTM_GETLINK), sequence: sequence, info)
      // Each answer is a kilobyte or two; take them before they fill the buffer.
      if writer.bytes.count >= 1024 { try sendAndAwait(sequence) }
    }
    try sendAndAwait(sequence)
  }

  /// All interfaces, by rising index.
  public mutating func links() throws(SystemError) -> [Link] {
    var links: [Link] = []
    try dump(Int(RTM_GETLINK), ifinfomsg(), "list links") { message in
      if message == nil { links.removeAll(keepingCapacity: true) }
      if let message, message.type == Int(RTM_NEWLINK), let link = Link(message) {
        links.append(link)
      }
    }
    links.sort { $0.index < $1.index }
    return links
  }

  /// All addresses of all interfaces.
  public mutating func addresses() throws(SystemError) -> [InterfaceAddress] {
    var addresses: [InterfaceAddress] = []
    try dump(Int(RTM_GETADDR), ifaddrmsg(), "list addresses") { message in
      if message == nil { addresses.removeAll(keepingCapacity: true) }
      if let message, message.type == Int(RTM_NEWADDR), let address = InterfaceAddress(message) {
        addresses.append(address)
      }
    }
    return addresses
  }

  /// The kernel's answers, in the order of the queries.
  public mutating func routes(_ queries: [RouteQuery]) throws(SystemError) -> [RouteAnswer] {
    var answers = [RouteAnswer?](repeating: nil, count: queries.count)
    var start = 0
    while start < queries.count {
      let end = min(start + RequestSocket.largestBatch, queries.count)
      try ask(queries[start..<end], &answers)
      start = end
    }
    return try complete(answers, queries)
  }

  // MARK: -

  /// Sends what was written, and takes the replies up to that of the last request.
  private mutating func sendAndAwait(_ last: UInt32) throws(SystemError) {
    guard !writer.bytes.isEmpty else { return }
    try socket.send(writer)
    writer.removeAll()
    while case .datagram(let bytes) = try socket.receive() {
      for message in MessageSequence(bytes) where socket.isReply(message, to: last) { return }
    }
  }

  /// Sends one request and gives its reply to `reading`; nil where the kernel answers with an error.
  mutating func ask<Info: BitwiseCopyable, Value>(
    _ type: Int, _ info: Info, attributes: (inout MessageWriter) -> Void,
    reading: (Message) -> Value?
  ) throws(SystemError) -> Value? {
    discardReplies()
    writer.removeAll()
    sequence &+= 1
    writer.request(type, sequence: sequence, info, attributes: attributes)
    try socket.send(writer)
    while case .datagram(let bytes) = try socket.receive() {
      for message in MessageSequence(bytes) where socket.isReply(message, to: sequence) {
        return message.errorCode == nil ? reading(message) : nil
      }
    }
    return nil
  }

  private func discardReplies() {
    while true {
      switch try? socket.receive() {
      case .datagram, .overrun: continue
      case .empty, nil: return
      }
    }
  }

  /// Sends the queries as one datagram and sorts the replies by their sequence numbers.
  private mutating func ask(
    _ queries: ArraySlice<RouteQuery>, _ answers: inout [RouteAnswer?]
  ) throws(SystemError) {
    writer.removeAll()
    let first = sequence &+ 1
    for query in queries {
      sequence &+= 1
      writer.route(query, sequence: sequence)
    }
    try socket.send(writer)
    var missing = queries.count
    while missing > 0 {
      let received = socket.receiveMany { bytes, truncated in
        for message in MessageSequence(bytes) where socket.isReply(message) {
          let offset = Int(message.header.nlmsg_seq &- first)
          guard offset < queries.count, !truncated, let answer = RouteAnswer(message) else {
            continue
          }
          answers[queries.startIndex + offset] = answer
        }
      }
      if received == 0 { return }
      missing -= received
    }
  }

  /// Asks again, one at a time and with a large buffer, for answers that were lost or too long, and
  /// for the way of one packet where the entry does not tell where it leads.
  private mutating func complete(
    _ answers: [RouteAnswer?], _ queries: [RouteQuery]
  ) throws(SystemError) -> [RouteAnswer] {
    var complete: [RouteAnswer] = []
    complete.reserveCapacity(answers.count)
    for (answer, query) in zip(answers, queries) {
      var answer = if let answer { answer } else { try askAlone(query) }
      if answer.lacksNextHop, query.form == .entry {
        var packet = query
        packet.form = .packet
        answer = try askAlone(packet)
      }
      complete.append(answer)
    }
    return complete
  }

  private mutating func askAlone(_ query: RouteQuery) throws(SystemError) -> RouteAnswer {
    discardReplies()
    writer.removeAll()
    sequence &+= 1
    writer.route(query, sequence: sequence)
    try socket.send(writer)
    while case .datagram(let bytes) = try socket.receive() {
      for message in MessageSequence(bytes) where socket.isReply(message, to: sequence) {
        if let answer = RouteAnswer(message) { return answer }
      }
    }
    throw SystemError("ask for the route to \(query.destination)", code: ENOBUFS)
  }

  /// Lists a table; `body` gets nil before each attempt, since one that the kernel says was
  /// interrupted by a change is made again.
  private mutating func dump<Info: BitwiseCopyable>(
    _ type: Int, _ info: Info, _ operation: String, _ body: (Message?) -> Void
  ) throws(SystemError) {
    for _ in 0..<20 {
      body(nil)
      sequence &+= 1
      writer.removeAll()
      writer.request(type, flags: NLM_F_DUMP, sequence: sequence, info)
      try socket.send(writer)
      if try socket.receiveDump(sequence, operation, body) { return }
    }
  }
}

extension MessageWriter {
  /// RTM_GETROUTE for one destination.
  fileprivate mutating func route(_ query: RouteQuery, sequence: UInt32) {
    let family = query.destination.family
    var info = rtmsg()
    info.rtm_family = family.number
    info.rtm_dst_len = family.bitCount
    if query.source != nil { info.rtm_src_len = family.bitCount }
    if query.form == .entry { info.rtm_flags = UInt32(RTM_F_FIB_MATCH) }
    // IPv6 refuses this flag in a strict request.
    if family == .ipv4 { info.rtm_flags |= UInt32(RTM_F_LOOKUP_TABLE) }
    request(Int(RTM_GETROUTE), sequence: sequence, info) { writer in
      writer.attribute(Int(RTA_DST.rawValue), query.destination)
      if let source = query.source { writer.attribute(Int(RTA_SRC.rawValue), source) }
      if let interface = query.interface { writer.attribute(Int(RTA_OIF.rawValue), interface) }
      if let mark = query.mark {
        writer.attribute(Int(RTA_MARK.rawValue), Int32(bitPattern: mark))
      }
    }
  }
}

extension RouteAnswer {
  /// Whether there is a route whose ways out the kernel does not tell: with the sysctl
  /// nexthop_compat_mode at 0 it names a next hop object alone, and some 230 do not fit its reply.
  fileprivate var lacksNextHop: Bool {
    switch self {
    case .refused(let code): code == EMSGSIZE
    case .route(let route): route.kind == .unicast && route.nextHop.interface == 0
    }
  }

  /// Reads a reply to RTM_GETROUTE; nil for any other message.
  init?(_ message: Message) {
    if let code = message.errorCode {
      self = .refused(code)
    } else if message.type == Int(RTM_NEWROUTE), let route = Route(message) {
      self = .route(route)
    } else {
      return nil
    }
  }
}
