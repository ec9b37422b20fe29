import Glibc

/// An account of the system.
struct Account: Sendable, Equatable {
    let number: UInt32
    /// The number, if no account has it, as in containers.
    let name: String

    static let root: UInt32 = 0

    init(number: UInt32, name: String) {
        self.number = number
        self.name = name
    }

    /// Asks the system for the name.
    init(_ number: UInt32) {
        self.init(number: number, name: getpwuid(number).map { String(cString: $0.pointee.pw_name) } ?? "\(number)")
    }

    /// Advice to run a command as this account.
    var wayIn: String {
        let user = name == "\(number)" ? "'#\(number)'" : name
        return "run it as the owner: sudo -u \(user) countersign …"
    }
}
