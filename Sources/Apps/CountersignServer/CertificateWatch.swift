import AuthorizationCore
import MicroHTTPServer
import Primitives
import X509

/// Presents a renewed certificate to new connections. Certificates in files expire within weeks, and a certificate of
/// the local authority must name hosts that tenants got since the start. Warns of one that clients refuse by its dates.
struct CertificateWatch: Sendable {
    /// Time between two checks.
    static let pause = Duration.seconds(10)

    let clock: any WallClock
    let timer: any AuthorizationCore.Timer
    let log: Log
    /// Loads the certificate that should be presented now.
    let newest: @Sendable () throws -> TLSIdentity?
    let present: @Sendable (TLSIdentity) throws -> Void

    /// Works until the task is cancelled. `first` is the certificate that the listeners started with.
    func run(_ first: TLSIdentity) async {
        var presented = first
        var lastProblem = ""
        var lastWarning: String?
        func warn() {
            let warning = Self.warning(of: presented, now: clock.now)
            if let warning, warning != lastWarning {
                log.write(.warning, "certificate not valid", ["problem": warning])
            }
            lastWarning = warning
        }
        warn()
        while (try? await timer.sleep(Self.pause)) != nil {
            defer { warn() }
            do {
                guard let identity = try newest(), identity != presented else { continue }
                try present(identity)
                presented = identity
                lastProblem = ""
                log.write(.info, "certificate reloaded")
            } catch {
                // The certificate may be written before its key, so a mismatched pair is tried again.
                let problem = "\(error)"
                if problem != lastProblem { log.write(.error, "certificate not reloaded", ["problem": problem]) }
                lastProblem = problem
            }
        }
    }

    /// Nil for a chain whose certificates are valid now.
    static func warning(of identity: TLSIdentity, now: Timestamp) -> String? {
        let chain = Certificate.chain(pem: identity.certificateChainPEM) ?? []
        return chain.first { !$0.isValid(at: now) }.map { certificate in
            let date =
                certificate.notBefore > now
                ? "is not valid before \(certificate.notBefore.iso8601)" : "expired at \(certificate.notAfter.iso8601)"
            return "a certificate of tls-certificate \(date), so clients refuse it: renew it, or set the clock"
        }
    }
}
