import COpenSSL

/// A failed call of OpenSSL. Contains OpenSSL's reason but no argument, which may be secret.
package struct OpenSSLFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Operation that failed, for example `sign with ES256`.
    package let operation: String
    /// OpenSSL's own text for the reason. Empty if it gave none.
    package let reason: String

    /// Takes the reason from this thread's error queue and empties the queue. Must be called right after the failed
    /// call.
    static func last(_ operation: String) -> OpenSSLFailure {
        // The oldest entry is the cause; later ones only name its callers.
        let code = ERR_get_error()
        let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? ""
        ERR_clear_error()
        return OpenSSLFailure(operation: operation, reason: reason)
    }

    package var description: String { reason.isEmpty ? "cannot \(operation)" : "cannot \(operation): \(reason)" }
}

/// Returns the pointer that a call returned. Throws OpenSSL's reason if it is nil.
func openSSL(
    _ operation: @autoclosure () -> String, _ pointer: OpaquePointer?
) throws(OpenSSLFailure) -> OpaquePointer {
    guard let pointer else { throw .last(operation()) }
    return pointer
}

/// Throws OpenSSL's reason unless the call returned 1, the usual value for success.
func openSSL(_ operation: @autoclosure () -> String, _ status: Int32) throws(OpenSSLFailure) {
    guard status == 1 else { throw .last(operation()) }
}
