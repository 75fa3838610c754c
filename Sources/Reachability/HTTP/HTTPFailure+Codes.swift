internal import CCurl
internal import Posix

extension Reason {
  /// What libcurl's code for a failed transfer says of the way or the other side.
  ///
  /// Nil where this machine lacked something. See libcurl-errors(3).
  ///
  /// - Parameters:
  ///   - code: how the transfer ended.
  ///   - systemError: the errno value of the connection; 0 for none.
  init?(transferCode code: CURLcode, systemError: Int32) {
    switch code {
    case CURLE_INTERFACE_FAILED where systemError == 0: self = .interfaceMissing
    case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
      if SystemError("connect", code: systemError).isLackOfResources { return nil }
      self = systemError == 0 ? .hostUnreachable : Reason(someConnectError: systemError)
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_COULDNT_RESOLVE_HOST: self = .dns
    // Ended before the answer was complete; without a byte of it too.
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE: self = .reset
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CLIENTCERT,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_USE_SSL_FAILED:
      self = .tls
    case CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION, CURLE_BAD_FUNCTION_ARGUMENT,
      CURLE_URL_MALFORMAT:
      return nil
    // What answered does not speak HTTP as we do: HTTP/0.9, garbage, a head without end. libcurl has
    // CURLE_OUT_OF_MEMORY for a line of more than 100 kB too.
    default: self = .httpStatus
    }
  }
}
