import OpenSSLCrypto
import Primitives
import X509

/// The files with certificates that the settings name.
extension Doctor {
    func certificateFileFindings() -> [DoctorFinding] {
        let now = clock.now
        var findings: [DoctorFinding] = []
        switch settings.tls {
        case .off: findings.append(.ok(.certificates, "tls", "a proxy on this machine presents the certificate"))
        case .local:
            let folder = settings.dataFolder + "/tls"
            for file in [Installation.authorityFile(folder: settings.dataFolder), folder + "/server.pem"] {
                findings += certificateFindings(file, now: now, advice: "start countersign serve, which makes it")
            }
        case .files(let certificate, let key):
            findings += certificateFindings(certificate, now: now, advice: "correct tls-certificate", key: key)
        }
        for file in [settings.trustedAuthorities, settings.clientAuthorities].compactMap(\.self) {
            findings += certificateFindings(file, now: now, advice: "correct trusted-authorities or mtls-ca")
        }
        return findings
    }

    private func certificateFindings(
        _ file: String, now: Timestamp, advice: String, key: String? = nil
    ) -> [DoctorFinding] {
        let text: String
        do { text = try Installation.text(of: file) } catch {
            if let advice = self.advice(after: error) {
                return [.blocked(.certificates, file, "\(error)", advice: advice)]
            }
            return [.fault(.certificates, file, "\(error)", advice: advice)]
        }
        let chain = Certificate.chain(pem: text) ?? []
        var findings = DoctorRules.certificates(chain, of: file, in: .certificates, now: now)
        if let key {
            do {
                let keyText = try Installation.text(of: key)
                if try !CertificatePair.matches(certificatePEM: Array(text.utf8), keyPEM: SecretBytes(utf8: keyText)) {
                    findings.append(
                        .fault(
                            .certificates, key, "the key does not belong to the certificate in \(file)",
                            advice: "name the certificate and the key of the same request"))
                }
            } catch {
                findings.append(
                    .fault(
                        .certificates, key, "cannot be used: \(error)",
                        advice: "it must be a private key in PEM without a password"))
            }
        }
        guard findings.isEmpty, let end = chain.map(\.notAfter).min() else { return findings }
        return [.ok(.certificates, file, "valid until \(end.iso8601)")]
    }
}
