import AuthorizationCore
import JOSE
import JSONSchema
import Primitives
import X509

enum ClientCredentialShapes {
    private static let type = Member.required(
        "credential_type", .choice(["public_key", "x509_cert", "cert_subject_dn"]),
        "For private_key_jwt, self_signed_tls_client_auth and tls_client_auth")
    private static let algorithm = Member(
        "alg", .choice(Client.assertionAlgorithms.map(\.rawValue)), "Only algorithm for which the key is accepted")

    private static let creating = ["create:client_credentials"]

    static let create = Shape.object([
        type.protecting(.identity, creating), Member("name", .text(1...255)).clearable.protecting(.nothing),
        Member("pem", .text(1...16_384), "A public key or a certificate").clearable.protecting(.identity, creating),
        Member("jwk", .anyObject, "Public key, instead of pem").clearable.protecting(.identity, creating),
        Member("subject_dn", .text(1...2048), "Subject of certificates (RFC 4514)").clearable
            .protecting(.identity, creating),
        algorithm.clearable.protecting(.identity),
        Member("kid", .text(1...255), "Default: the key's thumbprint").clearable.protecting(.identity),
        Member("expires_at", .date, "Default: no expiry").clearable.protecting(.identity),
        Member("parse_expiry_from_cert", .boolean, "Take the expiry from the certificate").clearable
            .protecting(.identity),
    ])

    static let credential = Shape.object(
        [
            .required("id", .text(), "cred_ and 22 characters"), type, Member("name", .text()), Member("kid", .text()),
            Member("alg", .text()), Member("subject_dn", .text()), .required("created_at", .date),
            .required("updated_at", .date), Member("expires_at", .date),
        ], isOpen: true)

    static let createExample: JSONValue = [
        "credential_type": "public_key", "name": "May 2026", "alg": "RS256",
        "pem": "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKC...\n-----END PUBLIC KEY-----\n",
    ]

    static let example: JSONValue = [
        "id": "cred_t4QxL0y3Yw9RkZ2mB7dNcA", "credential_type": "public_key", "name": "May 2026", "alg": "RS256",
        "kid": "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", "created_at": "2026-05-01T09:00:00.000Z",
        "updated_at": "2026-05-01T09:00:00.000Z",
    ]

    static func json(_ credential: ClientCredential) -> JSONObject {
        var json: JSONObject = ["id": .string(credential.id.rawValue)]
        json["name"] = credential.name.map(JSONValue.string)
        switch credential.content {
        case .publicKey(let key):
            json["credential_type"] = "public_key"
            json["kid"] = key.keyID.map(JSONValue.string)
            json["alg"] = (key.algorithm?.rawValue).map(JSONValue.string)
        case .certificate: json["credential_type"] = "x509_cert"
        case .name(let name):
            json["credential_type"] = "cert_subject_dn"
            switch name {
            case .subject(_, let text): json["subject_dn"] = .string(text)
            case .dns(let text): json["san_dns"] = .string(text)
            case .uri(let text): json["san_uri"] = .string(text)
            case .email(let text): json["san_email"] = .string(text)
            case .address(let address): json["san_ip"] = .string(address.description)
            }
        }
        json["created_at"] = .string(credential.createdAt.iso8601)
        json["updated_at"] = .string(credential.createdAt.iso8601)
        json["expires_at"] = credential.expiresAt.map { .string($0.iso8601) }
        return json
    }
}
