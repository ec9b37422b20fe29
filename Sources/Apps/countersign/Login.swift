import CountersignClient
import JOSE
import PlatformFoundation
import Primitives
import Terminal

extension Command {
    static var login: Command {
        let options = LoginOptions()
        return Command(
            "login", "Log in with the browser and print the account.",
            discussion: """
                The client must have http://127.0.0.1/callback among its redirect URIs; the port does not matter. The \
                page's address is printed too, to open it in another browser on this machine.

                The exit status is 0 after the login, 3 if the person refused, 4 if nobody finished in time, 130 if \
                the command was interrupted, 2 for wrong options, and 1 for every other failure.
                """,
            options: options.groups,
            examples: [
                "log in and show the account": "countersign login --client-id cli --ca ca.pem",
                "get access to an API and save the tokens":
                    "countersign login --client-id cli --audience https://api.example.com --scope 'openid "
                    + "offline_access' --save tokens.json",
                "in a script": "TOKEN=$(countersign login --client-id cli --json | jq -r .access_token)",
                "log out": "countersign login --logout --client-id cli --save tokens.json",
            ]
        ) { invocation in
            let client = try ClientConnection(invocation, options.connection).client()
            let output = invocation.output
            let asJSON = try invocation[options.json]
            let store = try invocation[options.save].map { FileCredentialStore(path: $0) }
            let timeout = try invocation[options.timeout]
            let opens = try !invocation[options.noBrowser]
            let isLogout = try invocation[options.logout]
            var browser = SystemBrowser(timeout: timeout) { page throws(CountersignError) in
                output.note("\(isLogout ? "To log out" : "To log in"), open \(page.absoluteString)")
                guard opens else { return }
                do throws(CountersignError) { try SystemBrowser.open(page) } catch {
                    output.warning("\(error.failureReason ?? "")")
                }
            }
            let parameters = try options.parameters(invocation)
            browser.uiLocales = parameters.uiLocales
            let manager = store.map { CredentialsManager(client: client, store: $0) }
            if isLogout {
                let manager = manager ?? CredentialsManager(client: client, store: MemoryCredentialStore())
                return try await output.carryOut(asJSON: asJSON) { [browser] in
                    try await manager.logout(through: browser)
                } show: {
                    if asJSON { output.json(["status": "logged_out"]) }
                }
            }
            return try await output.carryOut(asJSON: asJSON) { [browser] in
                // An authorization code works once, so a file that cannot be written is reported before the person logs
                // in.
                do { try await store?.checkWritable() } catch { throw CountersignError.storage("\(error)") }
                let end = Date(timeIntervalSinceNow: Double(timeout.components.seconds))
                return try await output.wait("Waiting for the login in the browser", until: end) {
                    let tokens = try await client.login(parameters, through: browser)
                    do { try await manager?.keep(tokens) } catch {
                        // Nobody has the unsaved tokens, so the refresh token is revoked.
                        if let token = tokens.refreshToken { try? await client.revoke(refreshToken: token) }
                        throw error
                    }
                    return tokens
                }
            } show: { tokens in
                if asJSON { output.json(tokens.json(status: "logged_in")) } else { output.fields(tokens.account) }
            }
        }
    }
}

private struct LoginOptions: Sendable {
    let scope = Option<String>.defaulted(
        "scope", .string.placeholder("SCOPES"), to: "openid profile email", "Requested scopes, separated by spaces.")
    let audience = Option<String?>.optional(
        "audience", .string.placeholder("API"), environment: "COUNTERSIGN_AUDIENCE",
        "Identifier of the API that the token is for.")
    let authentication = Option<String?>.optional(
        "connection", .string.placeholder("NAME"), "Connection to log in with, such as github.")
    let prompt = Option<[AuthorizationParameters.Prompt]>.repeated(
        "prompt", .choice(of: AuthorizationParameters.Prompt.self), "Pages that the server must show, or none.")
    let maxAge = Option<Int?>.optional(
        "max-age", .integer(0...31_536_000),
        "Maximum time since the last authentication, in seconds. After it the person authenticates again.")
    let hint = Option<String?>.optional("login-hint", .string, "Person who logs in, such as an e-mail address.")
    let locales = Option<String?>.optional(
        "ui-locales", .string.placeholder("TAGS"), "Languages of the pages in order of preference, separated by spaces."
    )

    let noBrowser = Option<Bool>.flag("no-browser", "Print the page's address without opening a browser.")
    let timeout = Option<Duration>.defaulted(
        "timeout", .duration(.seconds(1) ... .seconds(3600)), to: .seconds(300), "Time to log in.")
    let save = Option<String?>.optional(
        "save", .path, "File for the tokens, readable only by you. --logout reads them from it.")
    let logout = Option<Bool>.flag(
        "logout", "Log out: revoke the refresh token, delete the file, and end the browser's session.")
    let json = Option<Bool>.flag(
        "json", "Print the whole token response as JSON, or status, error and error_description after a failure.")

    let connection = ConnectionOptions(client: "Id of the client to log in to.")

    var groups: [OptionGroup] {
        [
            OptionGroup("Login", [scope, audience, authentication, prompt, maxAge, hint, locales]),
            OptionGroup("Browser and result", [noBrowser, timeout, save, logout, json]),
            connection.group,
        ]
    }

    func parameters(_ invocation: Invocation) throws -> AuthorizationParameters {
        var parameters = AuthorizationParameters(
            scope: try invocation[scope].split(separator: " ").map(String.init), audience: try invocation[audience],
            connection: try invocation[authentication])
        parameters.prompt = try invocation[prompt]
        parameters.maxAge = try invocation[maxAge].map { .seconds($0) }
        parameters.loginHint = try invocation[hint]
        parameters.uiLocales = try invocation[locales]?.split(separator: " ").map(String.init) ?? []
        return parameters
    }
}

extension Tokens {
    /// The account, the scope and the expiry, without secrets.
    fileprivate var account: [(name: String, value: Text)] {
        var rows: [(name: String, value: Text)] = []
        if let idToken {
            rows.append(("account", "\(idToken.subject)"))
            for name in ["name", "email"] {
                if let value = idToken.claims[name]?.stringValue { rows.append((name, "\(value)")) }
            }
        }
        rows.append(("scope", "\(scope.joined(separator: " "))"))
        if let expiresAt {
            rows.append(("expires", "\(Timestamp(seconds: Int64(expiresAt.timeIntervalSince1970)).iso8601)"))
        }
        return rows
    }
}
