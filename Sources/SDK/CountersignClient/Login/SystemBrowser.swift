#if !canImport(CryptoKit)
    public import PlatformFoundation
    import Threads

    /// The system's browser, which returns to a port of this machine (RFC 8252 clause 7.3). The client must have
    /// `http://127.0.0.1/callback` among its redirect URIs. The port changes with each login.
    public struct SystemBrowser: UserAgent {
        /// Opens a page and returns at once. Throws `noBrowser` if that is known to fail.
        public typealias Opener = @Sendable (URL) async throws(CountersignError) -> Void

        /// Maximum time for the login.
        public var timeout: Duration
        /// Languages of the final page in order of preference. The browser's languages follow them.
        public var uiLocales: [String] = []
        /// The path of the redirect URI.
        public var path = "/callback"
        private let open: Opener

        /// - Parameters:
        ///   - timeout: Maximum time for the login.
        ///   - open: Opens a page. The default is `SystemBrowser.open`.
        public init(timeout: Duration = .seconds(300), open: @escaping Opener = { try SystemBrowser.open($0) }) {
            self.timeout = timeout
            self.open = open
        }

        public func prepare() async throws(CountersignError) -> any PreparedRedirect {
            LoopbackRedirect(
                listener: try LoopbackListener(), path: path, timeout: timeout, uiLocales: uiLocales, open: open)
        }

        /// Nil, because nothing waits for the end of a logout.
        public var logoutReturn: URL? { nil }

        public func show(logout page: URL) async throws(CountersignError) { try await open(page) }

        /// Opens a page with the first command that can be started: those in `$BROWSER`, separated by colons, with `%s`
        /// for the URL, and then `xdg-open`. The browser outlives this process. Throws if no command can be started.
        /// Show the address too, since a started command may still fail.
        public static func open(_ page: URL) throws(CountersignError) {
            let wanted = ProcessInfo.processInfo.environment["BROWSER"] ?? ""
            for command in wanted.split(separator: ":").map(String.init) + ["xdg-open"] {
                var words = command.split(separator: " ").map(String.init)
                let hasPlace = words.dropFirst().contains { $0.contains("%s") }
                words = words.map { $0.replacing("%s", with: page.absoluteString) }
                if !hasPlace { words.append(page.absoluteString) }
                if Self.start(words) { return }
            }
            throw .noBrowser("neither $BROWSER nor xdg-open can be started")
        }

        /// Starts a program in its own session, so that signals for this program do not close the browser.
        private static func start(_ words: [String]) -> Bool {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            // Threads of the pool block signals, and a child process would inherit that.
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            // POSIX_SPAWN_SETSID of glibc, which declares it only with GNU extensions.
            let newSession: Int32 = 0x80
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | newSession))
            var arguments = words.map { strdup($0) } + [nil]
            defer { for text in arguments { free(text) } }
            var identifier: pid_t = 0
            guard posix_spawnp(&identifier, words[0], &actions, &attributes, &arguments, environ) == 0 else {
                return false
            }
            // A parent must wait for its child's end, which may be hours away.
            try? SystemThread.detach { [identifier] in
                while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
            }
            return true
        }
    }

    private struct LoopbackRedirect: PreparedRedirect {
        let listener: LoopbackListener
        let path: String
        let timeout: Duration
        let uiLocales: [String]
        let open: SystemBrowser.Opener

        var uri: String { "http://127.0.0.1:\(listener.port)\(path)" }

        func visit(_ page: URL, state: String) async throws(CountersignError) -> URL {
            // A redirect that arrives before the thread accepts connections waits in the socket's queue.
            try await open(page)
            var limits = LoopbackListener.Limits()
            limits.deadline = timeout
            let target = try await listener.callback(path: path, state: state, uiLocales: uiLocales, limits: limits)
            guard let url = URL(string: "http://127.0.0.1:\(listener.port)\(target)") else {
                throw .protocolViolation("the browser returned an invalid URL")
            }
            return url
        }
    }
#endif
