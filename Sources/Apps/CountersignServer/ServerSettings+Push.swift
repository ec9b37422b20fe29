import CurlTransport
package import Delivery
package import HTTPModel
import OpenSSLCrypto
import X509

extension ServerSettings {
    /// Services that take messages to phones' own apps, over connections of their own, each of which `watch` may wrap.
    package func mobilePushServices(
        watch: @escaping @Sendable (any OutgoingHTTPClient) -> any OutgoingHTTPClient = { $0 }
    ) throws -> MobilePushServices {
        var configuration = outgoing
        configuration.responseLimit = MobilePushServices.answerLimit
        configuration.sharesConnections = true
        let (policy, shared) = (outgoingPolicy, configuration)
        return try MobilePushServices(
            hashing: OpenSSLHashing(), addresses: pushAddresses, appleConnections: appleConnections
        ) {
            identity, leadsUntilSuccess in
            var configuration = shared
            configuration.leadsUntilSuccess = leadsUntilSuccess
            configuration.clientCertificate = identity.map { .pem(chain: $0.chainPEM, key: $0.privateKeyPEM) }
            return watch(try OutgoingTransport(policy, configuration))
        }
    }
}
