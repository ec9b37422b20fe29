import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JOSE
import JSONSchema
import Primitives

/// `/keys/signing`: the keys that sign the tenant's tokens.
struct SigningKeyRoutes: Sendable {
    private static let group = RouteGroup("Keys", scopes: "signing_keys")

    let keys: ManageSigningKeys
    let hashing: any Hashing

    private static let key = Shape.object([
        .required("kid", .text()), .required("alg", .text(), "Algorithm of its signatures; Auth0 has only RS256"),
        Member("cert", .text(), "A self-signed certificate of the public key, in PEM"),
        Member("pkcs7", .text(), "The same in PKCS #7"),
        Member("fingerprint", .text(), "SHA-1 of the certificate, with colons"),
        Member("thumbprint", .text(), "Without padding"), .required("current", .boolean, "The key signs"),
        .required("next", .boolean, "The key signs after the next rotation"),
        .required("previous", .boolean, "The key signed, and still verifies"), .required("revoked", .boolean),
        Member("current_since", .date), Member("current_until", .date), Member("revoked_at", .date),
        .required("status", .choice(SigningKey.Status.allCases.map(\.rawValue))),
        .required("intact", .boolean, "False if somebody without the master key changed the stored key"),
        .required("created_at", .date), .required("changed_at", .date, "Time of the last change of its status"),
    ])

    private static let brief = Shape.object([.required("kid", .text()), Member("cert", .text())])
    private static let example: JSONValue = [
        "kid": "Jm7kFqfT3uC0uYfFZ1qVtw", "cert": "-----BEGIN CERTIFICATE-----\r\n…",
    ]

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/keys/signing", "list_signing_keys", "List keys, revoked ones too", in: Self.group,
                answer: Operation.Answer(200, "The keys", .list(Self.key))
            ) { call in
                .value(.array(try await keys.list(call.tenant).map { .object(json($0)) }))
            },
            ManagementRoute(
                .get, "/keys/signing/{kid}", "get_signing_key", "Show a key", in: Self.group,
                answer: Operation.Answer(200, "The key", Self.key)
            ) { call in .object(json(try await key(call))) },
            ManagementRoute(
                .post, "/keys/signing/rotate", "rotate_signing_keys", "Sign with the next keys from now on",
                in: Self.group,
                details: """
                    The next key becomes current, the current one previous, and a new next one is made; all three \
                    verify. A previous key is dropped when no token that it signed is valid any more, after 31 days; \
                    of each algorithm there may be \(ManageSigningKeys.previousLimit). A tenant has keys of each algorithm it uses, and all rotate unless `algorithm` names one. \
                    `kid` and `cert` are of the new next key for RS256, or for the algorithm that was named; `keys` \
                    has those of all.
                    """, scopes: [["create:signing_keys", "update:signing_keys"]],
                parameters: [
                    Operation.Parameter(
                        "algorithm", in: .query, .choice(JWSAlgorithm.allCases.map(\.rawValue)),
                        "Algorithm whose keys to rotate; default: all")
                ],
                answer: Operation.Answer(
                    201, "The keys that sign after the next rotation",
                    .object([
                        .required("kid", .text()), Member("cert", .text()), .required("keys", .list(Self.rotated)),
                    ])), rotate),
            ManagementRoute(
                .put, "/keys/signing/{kid}/revoke", "revoke_signing_key",
                "Revoke a key; its signatures no longer verify", in: Self.group,
                details: """
                    The key that signs is revoked only with `current`; the next one signs at once then. A revoked next \
                    key is replaced.
                    """,
                parameters: [
                    Operation.Parameter(
                        "current", in: .query, .boolean, "Also revoke the key that signs; default: false")
                ],
                answer: Operation.Answer(200, "The key", Self.brief, example: Self.example), revoke),
        ]
    }

    private static let rotated = Shape.object([
        .required("alg", .text()), .required("kid", .text()), Member("cert", .text()),
    ])

    private func key(_ call: ManagementCall) async throws -> SigningKey {
        let id = SigningKeyID(call.id("kid"))
        guard let key = try await keys.list(call.tenant).first(where: { $0.id == id }) else {
            throw AdministrationFailure.unknown(.key)
        }
        return key
    }

    @Sendable private func rotate(_ call: ManagementCall) async throws -> ManagementAnswer {
        let algorithm = call.query["algorithm"]?.stringValue.flatMap(JWSAlgorithm.init(rawValue:))
        let signing: [SigningKey]
        do {
            signing = try await keys.rotate(algorithm, for: call.context)
        } catch ManageSigningKeys.Failure.unusedAlgorithm(let algorithm) {
            throw AdministrationFailure.unsupported("The tenant has no keys of \(algorithm.rawValue)")
        } catch ManageSigningKeys.Failure.tooManyPrevious(let algorithm, let end) {
            throw AdministrationFailure.unsupported(
                "\(ManageSigningKeys.previousLimit) previous keys of \(algorithm.rawValue) are published already, the first until \(end.iso8601); revoke one, or wait"
            )
        }
        let rotated = Set(signing.map(\.algorithm))
        let next = try await keys.list(call.tenant).filter { $0.status == .next && rotated.contains($0.algorithm) }
        var json = (next.first { $0.algorithm == .rs256 } ?? next.first).map(Self.brief) ?? [:]
        json["keys"] = .array(
            next.map { key in
                var json = Self.brief(key)
                json["alg"] = .string(key.algorithm.rawValue)
                return .object(json)
            })
        return .object(json, status: 201)
    }

    @Sendable private func revoke(_ call: ManagementCall) async throws -> ManagementAnswer {
        let key = try await key(call)
        guard key.status != .revoked else { return .object(Self.brief(key)) }
        let sparesCurrent = call.query["current"]?.boolValue != true
        do {
            return .object(Self.brief(try await keys.revoke(key.id, sparesCurrent: sparesCurrent, for: call.context)))
        } catch ManageSigningKeys.Failure.isCurrent {
            throw AdministrationFailure.unsupported("The key signs: rotate first, then revoke it")
        } catch ManageSigningKeys.Failure.alreadyRevoked {
            return .object(Self.brief(key))
        }
    }

    private static func brief(_ key: SigningKey) -> JSONObject {
        var json: JSONObject = ["kid": .string(key.id.rawValue)]
        if !key.certificate.isEmpty { json["cert"] = .string(CertificateText.pem(key.certificate)) }
        return json
    }

    private func json(_ key: SigningKey) -> JSONObject {
        var json = Self.brief(key)
        json["alg"] = .string(key.algorithm.rawValue)
        if !key.certificate.isEmpty {
            let digest = hashing.hash(.sha1, key.certificate).map { Hex.encode([$0]).uppercased() }
            json["pkcs7"] = .string(CertificateText.pkcs7(key.certificate))
            json["fingerprint"] = .string(digest.joined(separator: ":"))
            json["thumbprint"] = .string(digest.joined())
        }
        json["current"] = .bool(key.status == .current)
        json["next"] = .bool(key.status == .next)
        json["previous"] = .bool(key.status == .previous)
        json["revoked"] = .bool(key.status == .revoked)
        json["current_since"] = key.currentSince.map { .string($0.iso8601) }
        json["current_until"] = key.currentUntil.map { .string($0.iso8601) }
        if key.status == .revoked { json["revoked_at"] = .string(key.changedAt.iso8601) }
        json["status"] = .string(key.status.rawValue)
        json["intact"] = .bool(key.isIntact)
        json["created_at"] = .string(key.createdAt.iso8601)
        json["changed_at"] = .string(key.changedAt.iso8601)
        return json
    }
}
