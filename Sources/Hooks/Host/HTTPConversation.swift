internal import Posix
internal import Reachability

/// Why there is no answer, in words that may come from outside.
struct HTTPComplaint: Error {
  let text: String
}

/// A request and those that redirects make of it; lives on the loop.
final class HTTPConversation {
  private let client: HTTPClient
  private let deadline: BootInstant
  private var request: HTTPRequest
  private var redirectsLeft: Int
  private var transfer: HTTPTransfer?
  private var completion: ((Result<HTTPResponse, HTTPComplaint>) -> Void)?

  /// - Parameters:
  ///   - request: the first request.
  ///   - redirects: how many redirects are followed; the answer after those is the last.
  ///   - client: who sends.
  ///   - deadline: when all must have ended.
  ///   - completion: is called once on the loop, unless it is cancelled first.
  init(
    _ request: HTTPRequest, following redirects: Int, by client: HTTPClient,
    until deadline: BootInstant,
    completion: @escaping (Result<HTTPResponse, HTTPComplaint>) -> Void
  ) {
    self.request = request
    redirectsLeft = redirects
    self.client = client
    self.deadline = deadline
    self.completion = completion
  }

  /// Sends the request.
  func begin() {
    request.timeout = max(.milliseconds(1), deadline - .now)
    do {
      transfer = try client.send(request) { result in
        switch result {
        case .success(let response): self.take(response)
        case .failure(let failure): self.end(.failure(HTTPComplaint(text: failure.text)))
        }
      }
    } catch {
      end(.failure(HTTPComplaint(text: "\(error)")))
    }
  }

  /// Ends it without its completion.
  func cancel() {
    completion = nil
    transfer?.cancel()
    transfer = nil
  }

  private func end(_ result: Result<HTTPResponse, HTTPComplaint>) {
    let completion = completion
    cancel()
    completion?(result)
  }

  private func take(_ response: HTTPResponse) {
    guard redirectsLeft > 0, [301, 302, 303, 307, 308].contains(response.status),
      let location = response.first("location")
    else { return end(.success(response)) }
    guard let url = request.url.following(location) else {
      return end(.failure(HTTPComplaint(text: "redirected to what is no http or https URL")))
    }
    guard request.url.scheme == .http || url.scheme == .https else {
      return end(.failure(HTTPComplaint(text: "redirected from https to http")))
    }
    redirectsLeft -= 1
    request.follow(to: url, status: response.status)
    begin()
  }
}

extension HTTPRequest {
  /// Makes the request that a redirect asks for; RFC 9110, section 15.4.
  fileprivate mutating func follow(to url: HTTPURL, status: Int) {
    let changesMethod = status == 303 ? method != "HEAD" : status < 303 && method == "POST"
    if changesMethod {
      method = "GET"
      body = []
      headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
    }
    if url.scheme != self.url.scheme || url.host != self.url.host || url.port != self.url.port {
      // Meant for whom it was sent to first, and for no other.
      let secret = ["authorization", "cookie", "proxy-authorization", "host"]
      headers.removeAll { secret.contains($0.name.lowercased()) }
    }
    self.url = url
  }
}
