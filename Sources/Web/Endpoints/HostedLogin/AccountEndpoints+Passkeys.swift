import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// The page of a person's passkeys. Looking at it needs a recent proof, too, since its script adds one at once.
extension AccountEndpoints {
    @Sendable func passkeys(_ request: PageRequest) async throws -> Response {
        try await visited(request, .passkeys, forChange: true) { try await passkeysPage(request, $0) }
    }

    @Sendable func sendPasskeys(_ request: PageRequest) async throws -> Response {
        try await sent(request, .passkeys, forChange: true) { visitor in
            if let text = request.parameters[FieldName.passkey] {
                guard try await add(text, request, visitor) else {
                    return try await passkeysPage(request, visitor, problem: localized.passkeys.notAdded)
                }
            } else if let id = Base64URL.decode(request.parameters[Self.item] ?? "") {
                switch request.parameters[FieldName.decision] {
                case FieldName.remove: try await changes.removePasskey(id, by: visitor, request.context)
                case FieldName.rename:
                    try await changes.renamePasskey(id, to: Self.typedName(request), by: visitor, request.context)
                case FieldName.letLogIn: try await changes.letPasskeyLogIn(id, by: visitor, request.context)
                default: break
                }
            }
            return nil
        }
    }

    private static func typedName(_ request: PageRequest) -> String {
        String((request.parameters[FieldName.name] ?? "").trimmed(\.isWhitespace))
    }

    private func add(_ text: String, _ request: PageRequest, _ visitor: PageVisitor) async throws -> Bool {
        guard let registration = try? PasskeyRegistration(parsing: Array(text.utf8)) else { return false }
        let typed = Self.typedName(request)
        let name = typed.isEmpty ? try await newName(request, visitor) : typed
        do {
            try await changes.addPasskey(registration, named: name, by: visitor, request.context)
            return true
        } catch is PasskeyFailure {
            return false
        } catch ChangeAccount.Failure.gone {
            return false
        }
    }

    private func passkeysPage(
        _ request: PageRequest, _ visitor: PageVisitor, problem: LocalizedText? = nil
    ) async throws -> Response {
        let options = try await changes.passkeyOptions(for: visitor, request.context)
        let entries = try await account.passkeys(visitor).map { owned in
            PasskeysPage.Entry(
                name: owned.name, logsIn: owned.logsIn,
                form: form(request, .passkeys, visitor, item: Base64URL.encode(owned.passkey.id)))
        }
        let adding = PasskeyRequest(
            .add(
                userHandle: options.userID, name: options.userName,
                known: options.credentialIDs.map { Base64URL.encode($0) }),
            form: form(request, .passkeys, visitor), challenge: options.challenge, host: options.relyingParty,
            assets: request.hosted.assets)
        return request.show(
            PasskeysPage(
                entries: entries, adding: options.mayRegister ? adding : nil,
                newName: try await newName(request, visitor), problem: problem, back: request.url(.start)))
    }

    private func newName(_ request: PageRequest, _ visitor: PageVisitor) async throws -> String {
        let count = try await account.passkeys(visitor).count
        return request.language().texts.passkeys.numbered(count + 1)
    }
}
