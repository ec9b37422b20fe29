package import Glibc

/// A child process that the benchmark ends by its pid.
package final class Child {
    package let pid: pid_t
    /// Set once the process has ended. Its pid may then belong to another process.
    private var status: Int32?

    /// Starts `arguments[0]`, found on PATH. Both outputs go to the file `log`, or that for errors to `errors`. Nil
    /// discards them. `input` is a file, too.
    package init(
        _ arguments: [String], log: String? = nil, errors: String? = nil, input: String = "/dev/null"
    ) throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }

        // The signals that this program waits for must not stay blocked in the child.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, arguments[0], &actions, &attributes, &pointers, environ)
        guard code == 0 else { throw Failure("cannot start \(arguments[0])", errno: code) }
        self.pid = pid
        CleanUp.add(pid)
    }

    /// Runs a program to its end and returns its output. Throws if its status is not 0.
    /// - Parameter omitsErrors: leaves the output for errors out.
    package static func output(
        _ arguments: [String], folder: String, within limit: Duration, omitsErrors: Bool = false
    ) throws -> String {
        let log = "\(folder)/output"
        let child = try Child(arguments, log: log, errors: omitsErrors ? "\(folder)/errors" : nil)
        guard let status = child.wait(within: limit) else {
            child.end()
            throw Failure("\(arguments[0]) did not end within \(limit)")
        }
        let text = try readText(log)
        guard status == 0 else {
            let errors = omitsErrors ? try readText("\(folder)/errors") : text
            throw Failure("\(arguments.joined(separator: " ")) failed (\(status)): \(errors.suffix(500))")
        }
        return text
    }

    /// The exit status, or 128 plus the number of the signal that ended the process. Nil means that it still runs.
    package func wait(within limit: Duration) -> Int32? {
        if let status { return status }
        let end = ContinuousClock.now + limit
        var raw: Int32 = 0
        while waitpid(pid, &raw, WNOHANG) == 0 {
            guard ContinuousClock.now < end else { return nil }
            usleep(500)
        }
        CleanUp.forget(pid)
        status = raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
        return status
    }

    /// Ends the process with `signal`, and kills it after 10 seconds.
    package func end(_ signal: Int32 = SIGTERM) {
        guard wait(within: .zero) == nil else { return }
        kill(pid, signal)
        if wait(within: .seconds(10)) == nil {
            kill(pid, SIGKILL)
            _ = wait(within: .seconds(2))
        }
    }

    package static func reap(_ pid: pid_t, within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit
        while waitpid(pid, nil, WNOHANG) == 0 {
            guard ContinuousClock.now < end else { return false }
            usleep(1000)
        }
        return true
    }

    /// True if a program of that name is on PATH.
    package static func isInstalled(_ name: String) -> Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin"
        for folder in path.split(separator: ":") where access("\(folder)/\(name)", X_OK) == 0 { return true }
        return false
    }
}
