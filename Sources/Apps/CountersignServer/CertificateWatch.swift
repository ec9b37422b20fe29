import AuthorizationCore
import MicroHTTPServer

/// Has the listeners present a certificate soon after it was renewed: certificates of files end within weeks, and one of
/// the local authority has to name hosts that tenants were given since.
struct CertificateWatch: Sendable {
    /// Between two looks.
    static let pause = Duration.seconds(10)

    let timer: any AuthorizationCore.Timer
    let log: Log
    /// What should be presented now.
    let newest: @Sendable () throws -> TLSIdentity?
    let present: @Sendable (TLSIdentity) throws -> Void

    /// Works until the task is cancelled. `first` is what the listeners began with.
    func run(_ first: TLSIdentity) async {
        var presented = first
        var lastProblem = ""
        while (try? await timer.sleep(Self.pause)) != nil {
            do {
                guard let identity = try newest(), identity != presented else { continue }
                try present(identity)
                presented = identity
                lastProblem = ""
                log.write(.info, "certificate taken up")
            } catch {
                // The certificate may be written before its key: the pair is looked at again.
                let problem = "\(error)"
                if problem != lastProblem { log.write(.error, "certificate not taken up", ["problem": problem]) }
                lastProblem = problem
            }
        }
    }
}
