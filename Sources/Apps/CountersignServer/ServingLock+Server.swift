import Files
import Glibc

extension ServingLock {
    /// Process of the server that uses a folder. Nil without one. Takes no lock, so that a server may start meanwhile.
    /// - Throws: `FileFailure` if this account may not look.
    static func server(on folder: String) throws -> Int32? {
        let path = folder + "/serve.pid"
        let text: String
        do { text = try Installation.text(of: path) } catch let failure as FileFailure
            where failure.number != EACCES
        { return nil }
        guard let process = Int32(text.filter(\.isNumber)) else { return nil }
        var status = stat()
        guard let locks = try? Installation.text(of: "/proc/locks"), stat(path, &status) == 0 else {
            // Not every sandbox shows locks. The number may belong to another process then.
            let isRunning = kill(process, 0) == 0 || errno == EPERM
            return isRunning ? process : nil
        }
        let isLocked = locks.split(separator: "\n").contains { line in
            let parts = line.split(separator: " ")
            return parts.count > 5 && parts[1] == "FLOCK" && parts[4] == "\(process)"
                && parts[5].split(separator: ":").last == "\(status.st_ino)"
        }
        return isLocked ? process : nil
    }
}
