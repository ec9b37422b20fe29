import Audit
import Glibc
import Terminal

extension AuditEvent.Actor {
    /// The account that runs this command, and after `sudo` also the person's account.
    static func commandLine(_ invocation: Invocation) -> AuditEvent.Actor {
        let account = accountName(geteuid())
        guard geteuid() == 0, let person = invocation.environment["SUDO_USER"], !person.isEmpty else {
            return .account(account)
        }
        return .account("\(person) as \(account)")
    }

    private static func accountName(_ user: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        // Entries are small. An account with a larger one is named by its number.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let memory = buffer.baseAddress, getpwuid_r(user, &entry, memory, buffer.count, &found) == 0,
                let name = found?.pointee.pw_name
            else { return "uid \(user)" }
            return String(cString: name)
        }
    }
}
