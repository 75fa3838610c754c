import Glibc
import Reachability
import Testing

@Suite struct Statuses {
  private static let combinations: [Flags] = (0..<512).map { number in
    let bits: [UInt32] = [0, 1, 2, 3, 4, 5, 16, 17, 18]
    return Flags(
      rawValue: bits.enumerated().reduce(0) { sum, bit in
        number >> bit.offset & 1 == 1 ? sum | 1 << bit.element : sum
      })
  }

  /// Spelt out by the raw values of SCNetworkReachability.
  private static func expected(_ raw: UInt32, allowsWWAN: Bool) -> Int {
    if raw & 2 == 0 { return 0 }
    if raw & 4 != 0 {
      if raw & 16 != 0 { return 0 }
      if raw & 8 == 0, raw & 32 == 0 { return 0 }
    }
    if raw & 0x40000 == 0 { return 2 }
    return allowsWWAN ? 1 : 0
  }

  @Test(arguments: [true, false])
  func `every combination of flags has its status`(allowsWWAN: Bool) {
    #expect(Set(Statuses.combinations).count == 512)
    for flags in Statuses.combinations {
      let status = NetworkReachability.Status(flags, allowsWWAN: allowsWWAN)
      #expect(
        status.rawValue == Statuses.expected(flags.rawValue, allowsWWAN: allowsWWAN),
        "\(String(flags.rawValue, radix: 16))")
      #expect(status.isReachable == (status.rawValue > 0))
    }
    // Of 256 reachable ones 128 need no connection, and 48 have one made for them; half is WWAN.
    let counts = Dictionary(
      grouping: Statuses.combinations.map {
        NetworkReachability.Status($0, allowsWWAN: allowsWWAN)
      }, by: \.self
    ).mapValues(\.count)
    #expect(counts[.reachableViaWiFi] == 88)
    #expect(counts[.reachableViaWWAN] == (allowsWWAN ? 88 : nil))
    #expect(counts[.notReachable] == (allowsWWAN ? 336 : 424))
  }

  @Test(
    arguments: [
      (0, .notReachable), (0x2, .reachableViaWiFi), (0x30002, .reachableViaWiFi),
      (0x40003, .reachableViaWWAN), (0x40007, .notReachable), (0x7, .notReachable),
      (0xf, .reachableViaWiFi), (0x27, .reachableViaWiFi), (0x1f, .notReachable),
      (0x4002f, .reachableViaWWAN), (0x40000, .notReachable), (0x12, .reachableViaWiFi),
    ] as [(UInt32, NetworkReachability.Status)])
  func `flags that programs meet`(raw: UInt32, status: NetworkReachability.Status) {
    #expect(NetworkReachability.Status(Flags(rawValue: raw)) == status)
  }

  @Test func `the raw values are those that programs have stored`() {
    #expect(NetworkReachability.Status.allCases.map(\.rawValue) == [-1, 0, 1, 2])
    #expect(NetworkReachability.Status(rawValue: 3) == nil)
  }

  @Test func `each flag is a property`() {
    let properties: [(UInt32, (Flags) -> Bool)] = [
      (0x1, \.isTransientConnection), (0x4, \.isConnectionRequired),
      (0x8, \.isConnectionOnTraffic), (0x10, \.isInterventionRequired),
      (0x20, \.isConnectionOnDemand), (0x10000, \.isLocalAddress), (0x20000, \.isDirect),
      (0x40000, \.isWWAN),
    ]
    for flags in Statuses.combinations {
      for (bit, property) in properties {
        #expect(property(flags) == (flags.rawValue & bit != 0))
      }
      #expect(flags.isConnectionRequiredAndTransient == (flags.rawValue & 5 == 5))
    }
  }

  @Test(
    arguments: [
      ("C", "Not reachable"), ("", "Not reachable"), ("POSIX", "Not reachable"),
      ("en_US.UTF-8", "Not reachable"), ("de_DE.UTF-8", "Not reachable"),
      ("zh_CN.UTF-8", "无法连接"), ("zh", "无法连接"), ("zh_SG", "无法连接"),
      ("zh_CN.GB18030", "无法连接"), ("zh-Hans-HK", "无法连接"), ("zh_CN@pinyin", "无法连接"),
      ("zh_TW.UTF-8", "無法連線"), ("zh_HK", "無法連線"), ("zh_MO.utf8", "無法連線"),
      ("zh-Hant", "無法連線"), ("zh_Hant_CN", "無法連線"), ("ZH_tw", "無法連線"),
      ("cmn_TW.UTF-8", "無法連線"),
      ("vi_VN.UTF-8", "Không thể kết nối"), ("vi", "Không thể kết nối"),
      // Languages whose names begin alike.
      ("vie_XX", "Not reachable"), ("zha_CN", "Not reachable"), ("_", "Not reachable"),
    ])
  func `a status is told in the language of a locale`(locale: String, words: String) {
    #expect(NetworkReachability.Status.notReachable.localizedDescription(in: locale) == words)
  }

  @Test(arguments: ["en", "zh_CN", "zh_TW", "vi"])
  func `every status has words of its own`(locale: String) {
    let words = NetworkReachability.Status.allCases.map { $0.localizedDescription(in: locale) }
    #expect(Set(words).count == 4)
    #expect(words.allSatisfy { !$0.isEmpty })
  }

  @Test func `the language is the environment's, LC_ALL before LC_MESSAGES before LANG`() async {
    await #expect(processExitsWith: .success) {
      func description(_ all: String?, _ messages: String?, _ lang: String?) -> String {
        for (name, value) in [("LC_ALL", all), ("LC_MESSAGES", messages), ("LANG", lang)] {
          if let value { setenv(name, value, 1) } else { unsetenv(name) }
        }
        return NetworkReachability.Status.unknown.localizedDescription
      }
      #expect(description(nil, nil, nil) == "Unknown")
      #expect(description(nil, nil, "vi_VN.UTF-8") == "Không xác định")
      #expect(description(nil, "zh_CN.UTF-8", "vi_VN.UTF-8") == "未知")
      #expect(description("C", "zh_CN.UTF-8", "vi_VN.UTF-8") == "Unknown")
      #expect(description("", "", "vi_VN.UTF-8") == "Không xác định")
    }
  }
}
