import Glibc
import MicroHTTPServer

/// A port that the server cannot listen on, and the way out.
package struct PortFailure: Error, CustomStringConvertible {
    package let description: String
    package let hint: String

    /// Takes a server's port, and names its setting in a failure.
    static func listening(_ server: HTTPServer?, _ setting: String) throws {
        do throws(HTTPServerError) { try server?.listen() } catch {
            guard case .cannotListen(_, let reason) = error else { throw error }
            throw PortFailure(description: "\(error)", hint: hint(setting, reason))
        }
    }

    /// - Parameter reason: The system's error (errno).
    static func hint(_ setting: String, _ reason: Int32) -> String {
        let turningOff = setting == "port" ? "" : ", or turn it off with --\(setting) none"
        switch reason {
        case EADDRINUSE:
            return "another program listens there; choose another port with --\(setting)\(turningOff)"
        case EACCES, EPERM:
            return "a port below 1024 needs the capability CAP_NET_BIND_SERVICE, which docs/operations.md gives to the "
                + "service under Installation; or choose another port with --\(setting)\(turningOff)"
        default:
            let address = setting == "metrics-port" ? "metrics-address" : "address"
            return "--\(address) must be an address of this machine; ip address shows them"
        }
    }
}
