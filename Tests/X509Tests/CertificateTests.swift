import JOSE
import Primitives
import TestSupport
import TestTools
import Testing
import X509

@Suite("RFC 5280: certificates")
struct CertificateTests {
    @Test("4.1.2, 4.2.1.6: subject, validity, key and alternative names")
    func content() throws {
        let names = "DNS:agent.example,URI:spiffe://example/agent,IP:192.0.2.7,IP:2001:db8::7,email:agent@example.com"
        let made = try TestAuthority().identity("Agent Ünique, Ltd.", names: names)
        let read = try #require(Certificate(der: made.der))
        #expect(read.subject == DistinguishedName(#"CN=Agent Ünique\, Ltd."#))
        #expect(read.dnsNames == ["agent.example"])
        #expect(read.uris == ["spiffe://example/agent"])
        #expect(read.emails == ["agent@example.com"])
        #expect(read.addresses == [IPAddress("192.0.2.7"), IPAddress("2001:db8::7")].compactMap { $0 })
        #expect(read.notBefore == Samples.start - .seconds(60))
        #expect(read.notAfter == Samples.start - .seconds(60) + .seconds(3_600_000))
        #expect(Certificate(pem: made.pem) == read)
        #expect(Certificate(pem: made.pem + made.pem) == nil)
        #expect(Certificate(pem: "x" + made.pem) == nil)
    }

    @Test("4.1.2.5: valid from its first second to its last, also after 2049")
    func validity() throws {
        let start = Timestamp(seconds: 2_600_000_000)
        let made = try TestAuthority.selfSigned(from: start, for: .seconds(10))
        let read = try #require(Certificate(der: made.der))
        #expect(read.notBefore == start)
        #expect(!read.isValid(at: start - .milliseconds(1)))
        #expect(read.isValid(at: start))
        #expect(read.isValid(at: start + .milliseconds(10_999)))
        #expect(!read.isValid(at: start + .seconds(11)))
    }

    @Test("Keys of every supported kind are read", arguments: [JWSAlgorithm.rs256, .es256, .es384, .edDSA])
    func keys(algorithm: JWSAlgorithm) throws {
        let made = try TestAuthority().identity(algorithm: algorithm)
        let key = try #require(Certificate(der: made.der)?.publicKey)
        #expect(key.allows(algorithm))
        #expect(JWK(pem: made.pem) == key)
    }

    @Test("RFC 7468 13: a public key in PEM")
    func publicKey() throws {
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
            -----END PUBLIC KEY-----
            """
        let key = try #require(JWK(pem: pem))
        #expect(key == (try JWK(["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"])))
        #expect(JWK(pem: pem.replacing("PUBLIC", with: "PRIVATE")) == nil)
        #expect(JWK(pem: pem.replacing("MCow", with: "MCox")) == nil)
        #expect(JWK(pem: pem.replacing("END PUBLIC", with: "END PRIVATE")) == nil)
        #expect(JWK(pem: "") == nil)
    }

    @Test("Truncated, extended or changed bytes never crash the reader")
    func damaged() throws {
        let names = "DNS:agent.example,URI:urn:a,IP:192.0.2.7,email:a@example.com"
        let der = try TestAuthority().identity(names: names).der
        for count in 0..<der.count { #expect(Certificate(der: Array(der.prefix(count))) == nil) }
        #expect(Certificate(der: der + [0]) == nil)
        for index in der.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF, der[index] ^ 1] {
                var changed = der
                changed[index] = value
                _ = Certificate(der: changed)
            }
        }
    }

    @Test("X.690 10.1: a length that could be shorter is no length")
    func longLengths() throws {
        let der = try TestAuthority.selfSigned().der
        #expect(Certificate(der: der)?.der == der)
        // 30 82 xx xx: the same length with a leading zero byte.
        #expect(Certificate(der: [0x30, 0x83, 0x00] + der.dropFirst(2)) == nil)
        // Indefinite length (X.690 clause 8.1.3.6).
        #expect(Certificate(der: [0x30, 0x80] + der.dropFirst(4) + [0, 0]) == nil)
    }
}

@Suite("RFC 4514: distinguished names")
struct DistinguishedNameTests {
    @Test(
        "Different spellings of one name are equal",
        arguments: [
            "CN=agent,OU=Machines,O=Example,C=CH", "cn=agent, ou=Machines, O = Example ,C=CH",
            "2.5.4.3=agent,2.5.4.11=Machines,2.5.4.10=Example,2.5.4.6=CH", #"CN=\61gent,OU=Machines,O=Example,C=CH"#,
        ])
    func spellings(text: String) {
        #expect(DistinguishedName(text) == DistinguishedName("CN=agent,OU=Machines,O=Example,C=CH"))
    }

    @Test(
        "Different names are not equal",
        arguments: [
            "CN=agent,OU=Machines,O=Example", "C=CH,O=Example,OU=Machines,CN=agent",
            "CN=Agent,OU=Machines,O=Example,C=CH",
            "CN=agent+OU=Machines,O=Example,C=CH", "CN=agent,OU=Machines,O=Example,ST=CH",
            #"CN=agent\ ,OU=Machines,O=Example,C=CH"#, "CN=#0c056167656e74,OU=Machines,O=Example,C=CH",
        ])
    func others(text: String) throws {
        let name = try #require(DistinguishedName(text))
        #expect(name != DistinguishedName("CN=agent,OU=Machines,O=Example,C=CH"))
    }

    @Test("The order within a multi-valued part does not matter")
    func multivalued() {
        #expect(DistinguishedName("CN=a+UID=b,O=c") == DistinguishedName("UID=b+CN=a,O=c"))
        #expect(DistinguishedName(#"CN=a\+b\, c\C3\A9\"\\,O=c"#) != nil)
    }

    @Test(
        "Texts that are not names are refused",
        arguments: [
            "", "agent", "CN=", "CN=a,", ",CN=a", "CN=a,,O=b", "XX=a", "CN=a;O=b", #"CN="a""#, #"CN=a\"#, #"CN=a\zz"#,
            "CN=#",
            "CN=#0g", "=a", "CN=a\0",
        ])
    func malformed(text: String) { #expect(DistinguishedName(text) == nil) }
}

@Suite("RFC 9525: the names of a server's certificate")
struct CertificateHostTests {
    private func certificate(_ names: String?) throws -> Certificate {
        try #require(Certificate(der: try TestAuthority().identity("id.example", names: names).der))
    }

    @Test(
        "6.3, 6.4: names and addresses are compared whole, and a wildcard stands for one label",
        arguments: [
            ("id.example", true), ("ID.Example.", true), ("a.shop.example", true), ("shop.example", false),
            ("a.b.shop.example", false), ("b.id.example", false), ("192.0.2.7", true), ("192.0.2.8", false),
            ("[2001:db8::7]", true), ("2001:db8:0::7", true), ("x.com", false), ("", false),
        ])
    func hosts(host: String, isNamed: Bool) throws {
        let names = "DNS:id.example,DNS:*.shop.example,DNS:*.com,IP:192.0.2.7,IP:2001:db8::7"
        #expect(try certificate(names).names(host: host) == isNamed)
    }

    @Test("6.3: the common name does not count")
    func commonName() throws { #expect(try !certificate(nil).names(host: "id.example")) }

    @Test("RFC 7468: the certificates of a text are read in order, and other blocks are skipped")
    func chain() throws {
        let (one, two) = (try TestAuthority().identity("one"), try TestAuthority().identity("two"))
        let key = String(decoding: one.keyPEM.bytes, as: UTF8.self)
        let chain = Certificate.chain(pem: "text\n" + one.pem + key + "\n" + two.pem)
        #expect(chain?.map(\.der) == [one.der, two.der])
        #expect(Certificate.chain(pem: key) == [])
        #expect(Certificate.chain(pem: one.pem.replacing("MII", with: "M!!")) == nil)
    }
}
