import GuardianWire
import Testing

@Suite("Base URLs of the device and consent APIs")
struct ApplianceBaseTests {
    @Test(
        "A domain or URL gives the base URLs that both of Auth0's SDKs compute",
        arguments: [
            (
                "tenant.example.org", "https://tenant.example.org/appliance-mfa",
                "https://tenant.example.org/rich-consents"
            ),
            (
                "https://tenant.example.org/", "https://tenant.example.org/appliance-mfa",
                "https://tenant.example.org/rich-consents"
            ),
            (
                "Tenant.Example.org:8443", "https://tenant.example.org:8443/appliance-mfa",
                "https://tenant.example.org:8443/rich-consents"
            ),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/appliance-mfa", "http://127.0.0.1:8080/rich-consents"),
            ("http://localhost", "http://localhost/appliance-mfa", "http://localhost/rich-consents"),
            ("http://[::1]:80", "http://[::1]/appliance-mfa", "http://[::1]/rich-consents"),
            ("https://[::1]:8443", "https://[::1]:8443/appliance-mfa", "https://[::1]:8443/rich-consents"),
            ("https://h.example/appliance-mfa", "https://h.example/appliance-mfa", "https://h.example/rich-consents"),
            (
                "https://h.example/x/appliance-mfa/", "https://h.example/x/appliance-mfa",
                "https://h.example/x/rich-consents"
            ),
            ("t.guardian.auth0.com", "https://t.guardian.auth0.com", "https://t.auth0.com/rich-consents"),
            ("t.guardian.eu.auth0.com", "https://t.guardian.eu.auth0.com", "https://t.eu.auth0.com/rich-consents"),
            ("t.eu.auth0.com", "https://t.eu.auth0.com/appliance-mfa", "https://t.eu.auth0.com/rich-consents"),
        ])
    func bases(input: String, appliance: String, consents: String) throws {
        let base = try #require(ApplianceBase(input))
        #expect(base.url == appliance)
        #expect(base.consentURL == consents)
    }

    @Test(
        "Only a host or https URL has a base; http is for this machine only",
        arguments: [
            "", "https://", "ftp://h.example", "h.example:port", "https://user@h.example", "h.example:70000", "a b",
            "https://h.example?x=1", "http://h.example", "HTTP://h.example:8080/appliance-mfa", "http://10.0.0.1",
            "http://localhost.example", "http://[fe80::1]",
        ])
    func refused(input: String) {
        #expect(ApplianceBase(input) == nil)
    }

    @Test("Endpoints; an id is percent-encoded as one path segment")
    func endpoints() throws {
        let base = try #require(ApplianceBase("h.example"))
        #expect(base.enroll == "https://h.example/appliance-mfa/api/enroll")
        #expect(base.resolveTransaction == "https://h.example/appliance-mfa/api/resolve-transaction")
        #expect(
            base.deviceAccount("dev_1/../x") == "https://h.example/appliance-mfa/api/device-accounts/dev_1%2F..%2Fx")
        #expect(base.notifications == "https://h.example/appliance-mfa/api/notifications")
        #expect(base.richConsent("cns_1") == "https://h.example/rich-consents/cns_1")
    }

    @Test("RFC 3986 6.2: spellings of one URL are equal in normal form")
    func normalForm() {
        let normal = "https://h.example/appliance-mfa/api/resolve-transaction"
        #expect(normalizedURL("HTTPS://H.Example:443/appliance-mfa/api/resolve-transaction/?a=b#c") == normal)
        #expect(normalizedURL("https://h.example:444/") == "https://h.example:444")
        #expect(normalizedURL("https://h.example/A") != normalizedURL("https://h.example/a"))
        #expect(normalizedURL("https://[::1]:443/a") == "https://[::1]/a")
        #expect(normalizedURL("https://[::1]:8443") == "https://[::1]:8443")
        #expect(normalizedURL("https://h.example:/a?b=//c") == "https://h.example/a")
        for wrong in [
            "h.example", "https:/h.example", "https:h.example", "://h.example", "https://[::1", "https://[::1]x:1",
            "https://h.example:1x", "https://:443", "https://h.éxample", "https://h.example\\a", "wss://h.example",
        ] { #expect(normalizedURL(wrong) == nil, "\(wrong)") }
    }
}
