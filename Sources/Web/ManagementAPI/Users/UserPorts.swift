public import Administration
import AuthorizationCore
public import Flows
public import Primitives

/// What the operations on users work with beside what every operation has.
public struct UserPorts: Sendable {
    let passwords: any PasswordHasher
    let hashing: any Hashing
    let decisions: DecisionHub
    let mail: MailComposer
    let search: SearchUsers

    public init(
        passwords: any PasswordHasher, hashing: any Hashing, decisions: DecisionHub, mail: MailComposer,
        search: SearchUsers
    ) {
        self.passwords = passwords
        self.hashing = hashing
        self.decisions = decisions
        self.mail = mail
        self.search = search
    }

    /// Tells who polls for them of requests that are gone.
    func tell(of endedRequests: [[UInt8]]) {
        for hash in endedRequests { decisions.decided(AuthReqIDHash(stored: hash)) }
    }
}
