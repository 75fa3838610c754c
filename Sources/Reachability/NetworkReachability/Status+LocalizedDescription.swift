internal import Posix

extension NetworkReachability.Status {
  /// The status in words for a person, in the language that the user's environment asks for.
  ///
  /// That is what LC_ALL says, or else LC_MESSAGES, or else LANG; locale(7). English, Chinese in both
  /// scripts and Vietnamese are known; any other language gets English.
  public var localizedDescription: String {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
      .compactMap { Program.environment($0) }.first { !$0.isEmpty }
    return localizedDescription(in: locale ?? "C")
  }

  /// The status in words for a person, in the language of a locale: `zh_TW.UTF-8`, `vi`,
  /// `zh-Hant-HK`.
  public func localizedDescription(in locale: String) -> String {
    let words = Language(locale: locale).words
    return switch self {
    case .unknown: words.unknown
    case .notReachable: words.notReachable
    case .reachableViaWWAN: words.reachableViaWWAN
    case .reachableViaWiFi: words.reachableViaWiFi
    }
  }
}

/// The languages that a status is told in.
private enum Language {
  case english, simplifiedChinese, traditionalChinese, vietnamese

  struct Words {
    let unknown, notReachable, reachableViaWWAN, reachableViaWiFi: String
  }

  /// The language of `language[_territory][.codeset][@modifier]`, or of a BCP 47 tag.
  init(locale: String) {
    let name = locale.lowercased().prefix { $0 != "." && $0 != "@" }
    let parts = name.split { $0 == "_" || $0 == "-" }
    switch parts.first {
    case "zh", "cmn": self = Language.chinese(parts.dropFirst())
    case "vi": self = .vietnamese
    default: self = .english
    }
  }

  /// The script that is named, or else the one that is usual in the territory.
  private static func chinese(_ subtags: ArraySlice<Substring>) -> Language {
    if subtags.contains("hant") { return .traditionalChinese }
    if subtags.contains("hans") { return .simplifiedChinese }
    let traditional: Set<Substring> = ["tw", "hk", "mo"]
    return subtags.contains(where: traditional.contains) ? .traditionalChinese : .simplifiedChinese
  }

  var words: Words {
    switch self {
    case .english:
      Words(
        unknown: "Unknown", notReachable: "Not reachable",
        reachableViaWWAN: "Reachable via mobile data",
        reachableViaWiFi: "Reachable via WiFi or cable")
    case .simplifiedChinese:
      Words(
        unknown: "未知", notReachable: "无法连接", reachableViaWWAN: "可通过移动数据连接",
        reachableViaWiFi: "可通过 WiFi 或有线网络连接")
    case .traditionalChinese:
      Words(
        unknown: "未知", notReachable: "無法連線", reachableViaWWAN: "可透過行動數據連線",
        reachableViaWiFi: "可透過 WiFi 或有線網路連線")
    case .vietnamese:
      Words(
        unknown: "Không xác định", notReachable: "Không thể kết nối",
        reachableViaWWAN: "Kết nối được qua dữ liệu di động",
        reachableViaWiFi: "Kết nối được qua WiFi hoặc cáp")
    }
  }
}
