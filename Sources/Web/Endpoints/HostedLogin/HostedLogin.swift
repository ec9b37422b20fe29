import AuthorizationCore
import Flows
import HTTPModel
import Pages
import Primitives

/// The parts of the hosted login that its endpoints share.
struct HostedLogin: Sendable {
    let flows: UseCases
    let formTokens: FormTokens
    let repeatedForms = RepeatedForms()
    let heldPages = HeldPages()
    let assets: Assets
    let qrCode: @Sendable (String) -> [[Bool]]?

    func proofCookie(of transaction: String) -> Cookie { .proof(of: transaction, flows.hashing) }

    /// Identifies the cookies of a request that authenticate its user.
    func sender(of request: PageRequest) -> RepeatedForms.Key {
        let cookies = [request.browser.sessionCookie, request.browser.proofCookie].map { $0 ?? "" }
        return flows.hashing.sha256(Array(cookies.joined(separator: "\n").utf8))
    }

    /// Identifies a sent form, with all its fields and its browser.
    func key(of request: PageRequest) -> RepeatedForms.Key { key(of: request, request.http.path, request.http.body) }

    /// Identifies a page's login and browser.
    func loginKey(of request: PageRequest) -> RepeatedForms.Key { key(of: request, "", Array(request.state.utf8)) }

    private func key(of request: PageRequest, _ path: String, _ bytes: [UInt8]) -> RepeatedForms.Key {
        let place = [request.tenant.id.rawValue, request.binding, path].joined(separator: "\n")
        return flows.hashing.sha256(Array("\(place)\n".utf8) + bytes)
    }
}
