import AuthorizationCore
import JSONSchema
import Primitives

/// A document of a service as a file of `apply` has it: without its secrets.
struct ServiceDraft: Sendable {
    var document = JSONObject()
}

extension Field where Root == ServiceDraft {
    /// A file is the operator's, or of an administrator with every scope. The Management API declares its members itself.
    fileprivate init<Value>(_ name: String, _ type: FieldType<Value>, _ text: String = "") {
        self.init(name, protects: .nothing, type.shape, words: type.words, text) { fields, draft, isRequired in
            let value = isRequired ? fields.required(name, type.read) : type.read(fields, name)
            if let value { draft.document[name] = type.write(value) }
        }
    }

    /// Read before the other members, because its value may be elsewhere.
    fileprivate static func secret(_ name: String, _ text: String, _ words: String = "a secret (see below)") -> Field {
        Field(name, protects: .nothing, .anything, words: words, text).preset("the stored one")
    }
}

/// Members of the documents of services in a file of `apply`.
enum ServiceFields {
    static func fields(of provider: PushProvider) -> Fields<ServiceDraft> {
        switch provider {
        case .apns: apple
        case .fcmv1: google
        case .sns: amazon
        case .fcm: Fields {}
        }
    }

    private static let apple = Fields<ServiceDraft> {
        Field("bundle_id", .text(1...155), "The app's bundle id").required
        Field("sandbox", .flag, "For an app that was built for development").preset("`false`")
        Field.secret("p8", "Text of Apple's key file `AuthKey_KEYID.p8`; it does not expire")
        Field("key_id", .text(10...10), "The key's id; required with `p8`")
        Field("team_id", .text(10...10), "The developer team's id; required with `p8`")
        Field.secret(
            "p12",
            "Instead of `p8`: certificate and key, a PKCS #12 file without a password or its text in Base64, also in lines"
        )
    }

    private static let google = Fields<ServiceDraft> {
        Field.secret("server_credentials", "JSON of a service account, as the Firebase console saves it")
    }

    private static let amazon = Fields<ServiceDraft> {
        Field("aws_access_key_id", .text(1...128), "Id of the access key").required
        Field.secret("aws_secret_access_key", "The secret of the access key")
        Field("aws_region", .text(1...32), "Region, as `eu-central-1`").required
        Field(
            "sns_apns_platform_application_arn", .text(1...1024),
            "Platform application for Apple's devices; at least one of the two is required")
        Field("sns_gcm_platform_application_arn", .text(1...1024), "Platform application for Android devices")
    }

    static let emailProvider = Fields<ServiceDraft> {
        Field("name", FieldType<EmailProvider>.choice, "Service that takes the mails").required
        Field("enabled", .flag, "`false` keeps the settings, and sends by the server's mail server").preset("`true`")
        Field("default_from_address", .text(3...320), "Sender of mails whose template names none")
        Field("settings", .additional, "Members that have no effect")
        Field(
            "credentials", protects: .nothing, .anyObject, words: "object",
            "\(EmailProvider.credentialsText). Secrets among them are secrets (see below)"
        ).preset("required")
    }

    static let emailTemplate = Fields<ServiceDraft> {
        Field.secret(
            MailTemplate.textMember, "Liquid of the HTML, of at most 65536 bytes", "a text, or its place as a secret's"
        ).preset("the built-in one, if there is a subject")
        Field("subject", .text(1...998), "Liquid of the subject").preset("the built-in one")
        Field("from", .text(1...320), "Liquid of the sender, `address` or `Name <address>`")
        Field("syntax", FieldType<MailTemplate.Syntax>.choice, "Language of the template").preset("`liquid`")
        Field("enabled", .flag, "`false` keeps the template, and sends the built-in text").preset("`true`")
        Field("resultUrl", .text(1...2048), "Has no effect")
        Field("urlLifetimeInSeconds", .integer(1...31_536_000), "Has no effect")
        Field("includeEmailInRedirect", .flag, "Has no effect").preset("none")
    }

    /// Rows of `push`.
    static let pushRows: [FieldRow] =
        [
            FieldRow(
                ServiceEntry.selected, FieldRow.alternatives(PushServices.Selection.allCases.map(\.rawValue)),
                "`guardian`",
                "`sns` sends by Amazon's notification service, and others to Apple and Google")
        ] + PushProvider.settable.map { FieldRow($0.rawValue, "object, see below") }
}

extension PushProvider {
    /// Those that a file of `apply` has. Google ended the interface of the other one.
    static let settable: [PushProvider] = [.apns, .fcmv1, .sns]
}
