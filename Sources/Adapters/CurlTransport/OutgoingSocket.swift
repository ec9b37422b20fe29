package import CCurl
import Glibc
package import HTTPModel
import Primitives

/// Sockets of libcurl's connections.
package enum OutgoingSocket {
    /// Refusal of an address that the policy does not allow.
    package struct Refusal: Error {
        /// Address, or words in its place.
        package let address: String
    }

    /// Opens the socket of a connection when libcurl has resolved the name. The check is final, because the connection
    /// goes to exactly this address.
    /// - Parameter policy: Nil allows every address.
    package static func open(
        _ address: UnsafeMutablePointer<curl_sockaddr>, by policy: OutgoingPolicy?, isSecure: Bool
    ) throws(Refusal) -> curl_socket_t {
        if let policy {
            let target = withUnsafePointer(to: &address.pointee.addr) { IPAddress($0) }
            guard let target, policy.allows(target, isSecure: isSecure) else {
                throw Refusal(address: target?.description ?? "an address of another family")
            }
        }
        return socket(address.pointee.family, address.pointee.socktype | O_CLOEXEC, address.pointee.`protocol`)
    }
}
