import AuthorizationCore
import MicroHTTPServer

/// Presents a renewed certificate to new connections. Certificates in files expire within weeks, and a certificate of
/// the local authority must name hosts that tenants got since the start.
struct CertificateWatch: Sendable {
    /// Time between two checks.
    static let pause = Duration.seconds(10)

    let timer: any AuthorizationCore.Timer
    let log: Log
    /// Loads the certificate that should be presented now.
    let newest: @Sendable () throws -> TLSIdentity?
    let present: @Sendable (TLSIdentity) throws -> Void

    /// Works until the task is cancelled. `first` is the certificate that the listeners started with.
    func run(_ first: TLSIdentity) async {
        var presented = first
        var lastProblem = ""
        while (try? await timer.sleep(Self.pause)) != nil {
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
}
