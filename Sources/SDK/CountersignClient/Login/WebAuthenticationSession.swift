#if canImport(AuthenticationServices)
    public import AuthenticationServices
    public import PlatformFoundation

    /// The system's login sheet (`ASWebAuthenticationSession`). It uses the sessions of the person's browser, which
    /// this app cannot read (RFC 8252 clause 8.12).
    public struct WebAuthenticationSession: UserAgent {
        /// The window that presents the sheet.
        public typealias Anchor = @MainActor @Sendable () -> ASPresentationAnchor

        private let callback: URL
        private let logoutCallback: URL
        private let isEphemeral: Bool
        private let anchor: Anchor

        /// - Parameters:
        ///   - callback: The redirect URI as registered with the client: a private-use scheme, such as
        ///     `com.example.app://id.example.org/callback`, or an `https` link associated with the app.
        ///   - logoutCallback: The URL that the server redirects to after a logout, exactly as in the client's
        ///     `allowed_logout_urls`. Nil means `callback`, which must be registered there too. Otherwise the server
        ///     shows an error instead of ending the session.
        ///   - isEphemeral: Uses no cookies of the browser, so that the person always has to log in.
        ///   - anchor: Returns the window that presents the sheet, for each login and logout.
        public init(callback: URL, logoutCallback: URL? = nil, isEphemeral: Bool = false, anchor: @escaping Anchor) {
            self.callback = callback
            self.logoutCallback = logoutCallback ?? callback
            self.isEphemeral = isEphemeral
            self.anchor = anchor
        }

        public func prepare() async throws(CountersignError) -> any PreparedRedirect {
            Redirect(agent: self, uri: callback.absoluteString)
        }

        public var logoutReturn: URL? { logoutCallback }

        public func show(logout page: URL) async throws(CountersignError) {
            _ = try await visit(page, until: logoutCallback)
        }

        private struct Redirect: PreparedRedirect {
            let agent: WebAuthenticationSession
            let uri: String

            func visit(_ page: URL, state: String) async throws(CountersignError) -> URL {
                try await agent.visit(page, until: agent.callback)
            }
        }

        private func visit(_ page: URL, until callback: URL) async throws(CountersignError) -> URL {
            let visit = await Visit(anchor: anchor)
            let outcome = await withTaskCancellationHandler {
                await visit.run(page, callback: callback, isEphemeral: isEphemeral)
            } onCancel: {
                Task { @MainActor in visit.cancel() }
            }
            return try outcome.get()
        }
    }

    /// One presentation of the sheet.
    @MainActor
    private final class Visit: NSObject, ASWebAuthenticationPresentationContextProviding {
        private typealias Outcome = Result<URL, CountersignError>

        private let anchor: WebAuthenticationSession.Anchor
        private var session: ASWebAuthenticationSession?
        /// The first result: the sheet's end, a failure to show it, or the task's cancellation.
        private var outcome: Outcome?
        private var waiting: CheckedContinuation<Outcome, Never>?

        init(anchor: @escaping WebAuthenticationSession.Anchor) { self.anchor = anchor }

        func run(_ page: URL, callback: URL, isEphemeral: Bool) async -> Result<URL, CountersignError> {
            if let outcome { return outcome }
            // Sendable, so that it is not isolated to the main actor: the system calls it on any thread.
            let session = ASWebAuthenticationSession(url: page, callback: Self.callback(callback)) {
                @Sendable [weak self] url, error in
                let outcome = url.map(Outcome.success) ?? .failure(CountersignError(session: error))
                Task { @MainActor in self?.end(outcome) }
            }
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isEphemeral
            self.session = session
            if !session.start() { end(.failure(.noBrowser("the system did not show the login sheet"))) }
            if let outcome { return outcome }
            return await withCheckedContinuation { waiting = $0 }
        }

        func cancel() {
            end(.failure(.cancelled))
            session?.cancel()
        }

        private func end(_ outcome: Outcome) {
            guard self.outcome == nil else { return }
            self.outcome = outcome
            waiting?.resume(returning: outcome)
            waiting = nil
        }

        private static func callback(_ redirect: URL) -> ASWebAuthenticationSession.Callback {
            guard redirect.scheme == "https" else { return .customScheme(redirect.scheme ?? "") }
            return .https(host: redirect.host() ?? "", path: redirect.path())
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }
    }

    extension CountersignError {
        fileprivate init(session error: (any Error)?) {
            guard let error else {
                self = .noBrowser("the system ended the login without giving a reason")
                return
            }
            let isCancelled = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
            self = isCancelled ? .cancelledByUser : .noBrowser(error.localizedDescription)
        }
    }
#endif
