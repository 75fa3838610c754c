import CCurl
import Glibc
import Testing

@testable import Reachability

@Suite struct HTTPFailures {
  @Test(arguments: [
    (CURLE_COULDNT_CONNECT, ECONNREFUSED, Reason.refused),
    (CURLE_COULDNT_CONNECT, ECONNRESET, .reset),
    (CURLE_COULDNT_CONNECT, ETIMEDOUT, .timeout),
    (CURLE_COULDNT_CONNECT, EHOSTUNREACH, .hostUnreachable),
    (CURLE_COULDNT_CONNECT, ENETUNREACH, .hostUnreachable),
    (CURLE_COULDNT_CONNECT, EPERM, .notPermitted),
    (CURLE_COULDNT_CONNECT, 0, .hostUnreachable),
    // Each address may have failed in its own way; the time was up all the same.
    (CURLE_OPERATION_TIMEDOUT, ECONNREFUSED, .timeout),
    (CURLE_COULDNT_RESOLVE_HOST, 0, .dns),
    (CURLE_GOT_NOTHING, 0, .reset), (CURLE_RECV_ERROR, ECONNRESET, .reset),
    (CURLE_SEND_ERROR, 0, .reset), (CURLE_PARTIAL_FILE, 0, .reset),
    (CURLE_PEER_FAILED_VERIFICATION, 0, .tls), (CURLE_SSL_CONNECT_ERROR, ECONNRESET, .tls),
    (CURLE_SSL_CACERT_BADFILE, 0, .tls), (CURLE_SSL_CIPHER, 0, .tls),
    (CURLE_UNSUPPORTED_PROTOCOL, 0, .httpStatus), (CURLE_WEIRD_SERVER_REPLY, 0, .httpStatus),
    (CURLE_OUT_OF_MEMORY, 0, .httpStatus), (CURLE_WRITE_ERROR, 0, .httpStatus),
    (CURLE_HTTP2, 0, .httpStatus), (CURLE_BAD_CONTENT_ENCODING, 0, .httpStatus),
  ])
  func `a code has its reason`(code: CURLcode, systemError: Int32, reason: Reason) {
    #expect(Reason(transferCode: code, systemError: systemError) == reason)
  }

  @Test(
    arguments: [
      (CURLE_COULDNT_CONNECT, EMFILE), (CURLE_COULDNT_CONNECT, ENOBUFS), (CURLE_FAILED_INIT, 0),
      (CURLE_UNKNOWN_OPTION, 0),
    ] as [(CURLcode, Int32)])
  func `what this machine lacks says nothing of others`(code: CURLcode, systemError: Int32) {
    #expect(Reason(transferCode: code, systemError: systemError) == nil)
  }
}
