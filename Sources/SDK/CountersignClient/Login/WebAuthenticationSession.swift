#if canImport(AuthenticationServices)
    public import AuthenticationServices
    public import Foundation

    /// The system's login sheet (`ASWebAuthenticationSession`): the person's browser with its sessions, which this app
    /// cannot look into (RFC 8252 clause 8.12).
    public struct WebAuthenticationSession: UserAgent {
        /// The window that the sheet belongs to.
        public typealias Anchor = @MainActor @Sendable () -> ASPresentationAnchor

        private let callback: URL
        private let logoutCallback: URL
        private let isEphemeral: Bool
        private let anchor: Anchor

        /// - Parameters:
        ///   - callback: the redirect URI, as the client has registered it: a scheme of the app's own, such as
        ///     `com.example.app://id.example.org/callback`, or an `https` link that is associated with the app.
        ///   - logoutCallback: where the server sends the browser after a logout: one of the client's
        ///     `allowed_logout_urls`, to the letter. Nil takes `callback`, which must be among those then. Without it the
        ///     server ends no session, but shows an error.
        ///   - isEphemeral: shares no cookies with the browser, so that nobody is logged in already or stays it.
        public init(
            callback: URL, logoutCallback: URL? = nil, isEphemeral: Bool = false, anchor: @escaping Anchor
        ) {
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

    /// One sheet, from its appearance to its end.
    @MainActor
    private final class Visit: NSObject, ASWebAuthenticationPresentationContextProviding {
        private typealias Outcome = Result<URL, CountersignError>

        private let anchor: WebAuthenticationSession.Anchor
        private var session: ASWebAuthenticationSession?
        /// Set by what happens first: the sheet's end, its failure to appear, or the task's cancellation.
        private var outcome: Outcome?
        private var waiting: CheckedContinuation<Outcome, Never>?

        init(anchor: @escaping WebAuthenticationSession.Anchor) { self.anchor = anchor }

        func run(_ page: URL, callback: URL, isEphemeral: Bool) async -> Result<URL, CountersignError> {
            if let outcome { return outcome }
            // Sendable, so that it does not count as the main actor's: the system calls it on any thread.
            let session = ASWebAuthenticationSession(url: page, callback: Self.callback(callback)) {
                @Sendable [weak self] url, error in
                let outcome = url.map(Outcome.success) ?? .failure(CountersignError(session: error))
                Task { @MainActor in self?.end(outcome) }
            }
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isEphemeral
            self.session = session
            if !session.start() { end(.failure(.noBrowser("the system does not show the login"))) }
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
                self = .noBrowser("the system ended the login without a reason")
                return
            }
            let isCancelled = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
            self = isCancelled ? .cancelledByUser : .noBrowser(error.localizedDescription)
        }
    }
#endif
