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
    try ask(queries, []).routes
  }

  /// What the kernel knows of places, in their order; nil for one that it does not know.
  ///
  /// Nothing is sent to them.
  public mutating func neighbours(_ places: [Neighbour.Place]) throws(SystemError) -> [Neighbour?] {
    try ask([], places).neighbours
  }

  /// The kernel's answers about routes, and what it knows of places, all in one exchange.
  public mutating func ask(
    _ queries: [RouteQuery], _ places: [Neighbour.Place]
  ) throws(SystemError) -> (routes: [RouteAnswer], neighbours: [Neighbour?]) {
    var routes = [RouteAnswer](repeating: .missing, count: queries.count)
    var neighbours = [Neighbour?](repeating: nil, count: places.count)
    try exchange(queries.count + places.count) { writer, number, sequence in
      if number < queries.count {
        writer.route(queries[number], sequence: sequence)
      } else {
        writer.neighbour(places[number - queries.count], sequence: sequence)
      }
    } reading: { number, message in
      if number < queries.count {
        if let answer = RouteAnswer(message) { routes[number] = answer }
      } else if message.type == Int(RTM_NEWNEIGH) {
        neighbours[number - queries.count] = Neighbour(message)
      }
    }
    try complete(&routes, queries)
    return (routes, neighbours)
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

  private func discardReplies() {
    while true {
      switch try? socket.receive() {
      case .datagram, .overrun: continue
      case .empty, nil: return
      }
    }
  }

  /// Sends requests in as few datagrams as their replies can be taken of, and gives each reply and
  /// the number of its request to `reading`.
  ///
  /// A reply that was lost, or is longer than most, is left out.
  private mutating func exchange(
    _ count: Int, writing write: (inout MessageWriter, Int, _ sequence: UInt32) -> Void,
    reading: (Int, Message) -> Void
  ) throws(SystemError) {
    var start = 0
    while start < count {
      let end = min(start + RequestSocket.largestBatch, count)
      writer.removeAll()
      let first = sequence &+ 1
      for number in start..<end {
        sequence &+= 1
        write(&writer, number, sequence)
      }
      try socket.send(writer)
      var missing = end - start
      while missing > 0 {
        let received = socket.receiveMany { bytes, truncated in
          for message in MessageSequence(bytes) where socket.isReply(message) {
            let offset = Int(message.header.nlmsg_seq &- first)
            guard offset < end - start else { continue }
            missing -= 1
            if !truncated { reading(start + offset, message) }
          }
        }
        if received == 0 { break }
      }
      start = end
    }
  }

  /// Asks again, one at a time and with a large buffer, for answers that were lost or too long, and
  /// for the way of one packet where the entry does not tell where it leads.
  private mutating func complete(
    _ answers: inout [RouteAnswer], _ queries: [RouteQuery]
  ) throws(SystemError) {
    for number in answers.indices {
      if answers[number] == .missing { answers[number] = try askAlone(queries[number]) }
      if answers[number].lacksNextHop, queries[number].form == .entry {
        var packet = queries[number]
        packet.form = .packet
        answers[number] = try askAlone(packet)
      }
    }
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
  /// RTM_GETNEIGH for one place.
  fileprivate mutating func neighbour(_ place: Neighbour.Place, sequence: UInt32) {
    var info = ndmsg()
    info.ndm_family = place.address.family.number
    info.ndm_ifindex = place.interface
    request(Int(RTM_GETNEIGH), sequence: sequence, info) { writer in
      writer.attribute(Int(NDA_DST), place.address)
    }
  }

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
  /// What stands where no answer has come yet; no errno is 0.
  fileprivate static var missing: RouteAnswer { .refused(0) }

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
