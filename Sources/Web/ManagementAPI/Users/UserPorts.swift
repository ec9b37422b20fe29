public import Administration
import AuthorizationCore
public import Flows
public import Primitives

/// What the operations on users work with beside what every operation has.
public struct UserPorts: Sendable {
    let passwords: any PasswordHasher
    let hashing: any Hashing
    let decisions: DecisionHub
    let logout: BackchannelLogout
    let mail: MailComposer
    let search: SearchUsers

    public init(
        passwords: any PasswordHasher, hashing: any Hashing, decisions: DecisionHub, logout: BackchannelLogout,
        mail: MailComposer, search: SearchUsers
    ) {
        self.passwords = passwords
        self.hashing = hashing
        self.decisions = decisions
        self.logout = logout
        self.mail = mail
        self.search = search
    }

    /// Tells who polls and who logged the user in of what ended. Nobody waits for the clients to hear of it.
    func tell(of ended: ManageUsers.Ended, _ call: ManagementCall) {
        for hash in ended.requests { decisions.decided(AuthReqIDHash(stored: hash)) }
        logout.tell(of: ended.sessions, directory: call.directory, now: call.now)
    }
}
