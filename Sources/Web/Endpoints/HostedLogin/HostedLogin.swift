import Audit
import AuthorizationCore
import Flows
import HTTPModel
import Pages
import Primitives

/// The parts of the hosted login that its endpoints share. Each endpoint makes the use cases of its own step.
struct HostedLogin: Sendable {
    let ports: Application.Ports
    let completion: CompleteAuthorization
    let transactions: LoginTransactions
    let limit = LoginLimit()
    let push: PushAuthorizationRequest
    let unknownUserHash: String
    let enroll: EnrollDevice
    let formTokens: FormTokens
    let repeatedForms = RepeatedForms()
    let heldPages = HeldPages()
    let assets: Assets

    var vault: RequestVault { ports.vault }
    var decisions: DecisionHub { ports.decisions }
    var refusals: RefusalLog { ports.vault.refusals }
    var mail: MailComposer { MailComposer(sealer: ports.sealer) }

    /// `unknownUserHash` is a hash of a random text, made by `ports.passwords`.
    init(_ ports: Application.Ports, unknownUserHash: String, enroll: EnrollDevice) {
        self.ports = ports
        self.unknownUserHash = unknownUserHash
        self.enroll = enroll
        completion = CompleteAuthorization(
            store: ports.store, hashing: ports.hashing, random: ports.random, budgets: ports.budgets)
        transactions = LoginTransactions(
            store: ports.store, hashing: ports.hashing, random: ports.random, completion: completion)
        push = PushAuthorizationRequest(store: ports.store, hashing: ports.hashing, random: ports.random, limit: limit)
        formTokens = FormTokens(key: ports.keys.forms, hashing: ports.hashing)
        assets = Assets(hashing: ports.hashing)
    }

    func proofCookie(of transaction: String) -> Cookie { .proof(of: transaction, ports.hashing) }

    /// Identifies the cookies of a request that authenticate its user.
    func sender(of request: PageRequest) -> RepeatedForms.Key {
        let cookies = [request.browser.sessionCookie, request.browser.proofCookie].map { $0 ?? "" }
        return ports.hashing.sha256(Array(cookies.joined(separator: "\n").utf8))
    }

    /// Identifies a sent form, with all its fields and its browser.
    func key(of request: PageRequest) -> RepeatedForms.Key { key(of: request, request.http.path, request.http.body) }

    /// Identifies a page's login and browser.
    func loginKey(of request: PageRequest) -> RepeatedForms.Key { key(of: request, "", Array(request.state.utf8)) }

    private func key(of request: PageRequest, _ path: String, _ bytes: [UInt8]) -> RepeatedForms.Key {
        let place = [request.tenant.id.rawValue, request.binding, path].joined(separator: "\n")
        return ports.hashing.sha256(Array("\(place)\n".utf8) + bytes)
    }
}
