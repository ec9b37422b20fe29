import CurlTransport
import HTTPModel
import Primitives

/// Mail server and login. Passwords are compared in constant time, so they stay out of the hash.
struct SMTPAccount: Hashable {
    let url: String
    let user: String?
    let password: SecretBytes?
    let trust: CurlTransport.Configuration.Trust
    let policy: OutgoingPolicy?

    static func == (left: SMTPAccount, right: SMTPAccount) -> Bool {
        left.url == right.url && left.user == right.user && left.trust == right.trust && left.policy == right.policy
            && constantTimeEquals(left.password?.bytes ?? [], right.password?.bytes ?? [])
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(user)
    }
}
