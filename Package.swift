// swift-tools-version: 6.2
import PackageDescription

// Folders are layers and dependencies point down only; docs/architecture.md explains each.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A call within a request stays on the thread that runs it, without asking the executor each time.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func system(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])])
}

func layer(
    _ folder: String, _ name: String, _ dependencies: [Target.Dependency] = [], embedding files: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(folder)/\(name)",
        resources: files.map { .embedInCode($0) }, swiftSettings: strict)
}

func app(
    _ name: String, folder: String, _ dependencies: [Target.Dependency], _ linkerSettings: [LinkerSetting]? = nil
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Apps/\(folder)", swiftSettings: strict,
        linkerSettings: linkerSettings)
}

func tests(
    _ name: String, folder: String? = nil, support: [Target.Dependency] = ["TestSupport"],
    _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + support, path: "Tests/\(folder ?? name)", exclude: exclude,
        swiftSettings: strict)
}

/// On Apple platforms the SDKs link nothing but what the system has: CryptoKit, Security and URLSession.
let sdkAdapters: [Target.Dependency] = [
    .target(name: "ApplePlatform", condition: .when(platforms: [.macOS, .iOS, .macCatalyst])),
    .target(name: "OpenSSLCrypto", condition: .when(platforms: [.linux])),
    .target(name: "CurlTransport", condition: .when(platforms: [.linux])),
]

let formats: [Target.Dependency] = [
    "Primitives", "JOSE", "OAuthWire", "GuardianWire", "HTTPModel",
]
let domain: [Target.Dependency] = ["AuthorizationCore", "Audit", "Configuration", "Flows", "Administration"]

let package = Package(
    name: "Countersign",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Guardian", targets: ["Guardian"]),
        .library(name: "CountersignClient", targets: ["CountersignClient"]),
        // Ports that apps fill in themselves, such as the transport, and the types that they speak of.
        .library(name: "CountersignPorts", targets: ["HTTPModel", "JOSE", "Primitives"]),
        .executable(name: "countersign", targets: ["CountersignCommand"]),
        .executable(name: "guardian", targets: ["GuardianCommand"]),
        .executable(name: "countersign-demo", targets: ["CountersignDemo"]),
        .executable(name: "bench", targets: ["bench"]),
        .executable(name: "faults", targets: ["faults"]),
    ],
    targets: [
        // System: C libraries that Debian ships
        system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        // Contexts that a thread keeps, checks whose types are macros, and PKCS #12 files at bounded cost.
        .target(name: "COpenSSLSeam", dependencies: ["COpenSSL"], path: "Sources/System/COpenSSLSeam"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        system("CPostgreSQL", pkgConfig: "libpq", apt: "libpq-dev", brew: "libpq"),
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        system("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
        // Start and TLS of libmicrohttpd, and events for which it has no callback.
        .target(name: "CMicroHTTPDSeam", dependencies: ["CMicroHTTPD"], path: "Sources/System/CMicroHTTPDSeam"),
        system("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev", brew: "argon2"),
        // crypt(3) of libxcrypt.
        system("CCrypt", pkgConfig: "libcrypt", apt: "libcrypt-dev", brew: "libxcrypt"),
        system("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev", brew: "qrencode"),
        // With libcbor, on which libfido2 rests.
        system("CFIDO2", pkgConfig: "libfido2", apt: "libfido2-dev", brew: "libfido2"),
        // Places of addresses.
        system("CMaxMindDB", pkgConfig: "libmaxminddb", apt: "libmaxminddb-dev", brew: "libmaxminddb"),
        // State of the system's clock, which Glibc's module leaves out.
        .systemLibrary(name: "CTimex", path: "Sources/System/CTimex"),
        // Foundation without ICU, where it can be had.
        .target(name: "PlatformFoundation", path: "Sources/System/PlatformFoundation", swiftSettings: strict),
        // A section of a program that `make dist` fills with the commit.
        .target(name: "CRevision", path: "Sources/System/CRevision"),
        // RE2 is C++; this is the C that Swift calls. Its pkg-config file has a flag that the package manager warns about.
        .target(name: "CPatterns", path: "Sources/System/CPatterns", linkerSettings: [.linkedLibrary("re2")]),

        // Formats: pure values
        .target(
            name: "Primitives", path: "Sources/Formats/Primitives",
            // A third of the time of tests is reading JSON. Consumers, whose package manager is 6.2 or newer, may have the flag.
            swiftSettings: strict + [.unsafeFlags(["-O"], .when(platforms: [.linux], configuration: .debug))],
            // The standard library's floating-point conversions call it where nothing else links it.
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        layer("Formats", "JSONSchema", ["Primitives"]),
        layer("Formats", "JOSE", ["Primitives"]),
        layer("Formats", "X509", ["Primitives", "JOSE"]),
        layer("Formats", "Localization"),
        layer("Formats", "OAuthWire", ["Primitives"]),
        layer("Formats", "GuardianWire", ["Primitives", "JOSE"]),
        layer("Formats", "ApprovalWire", ["Primitives", "JOSE", "X509", "GuardianWire", "Localization"]),
        layer("Formats", "HTTPModel", ["Primitives"]),
        layer("Formats", "Tracing", ["Primitives"]),
        layer("Formats", "SearchQuery", ["Primitives"]),
        layer("Formats", "Templates", ["Primitives"]),
        layer("Formats", "PasswordHashes", ["Primitives"]),

        // Domain: the rules and their ports
        layer(
            "Domain", "AuthorizationCore",
            [
                "Primitives", "JOSE", "X509", "JSONSchema", "Localization", "OAuthWire", "GuardianWire", "ApprovalWire",
                "Templates",
            ]),
        layer("Domain", "Audit", ["Primitives", "JOSE", "SearchQuery", "AuthorizationCore"]),
        layer(
            "Domain", "Configuration",
            ["Primitives", "JOSE", "X509", "JSONSchema", "OAuthWire", "Templates", "AuthorizationCore", "Audit"]),
        layer(
            "Domain", "Flows",
            [
                "Primitives", "JOSE", "X509", "JSONSchema", "Localization", "OAuthWire", "GuardianWire",
                "ApprovalWire", "HTTPModel", "Templates", "Tracing", "AuthorizationCore", "Audit",
            ]),
        layer(
            "Domain", "Administration",
            [
                "Primitives", "JOSE", "X509", "Localization", "OAuthWire", "PasswordHashes", "SearchQuery",
                "AuthorizationCore", "Audit", "Configuration",
            ]),
        // Values in, values out: other products' exports become a configuration, users and a report.
        layer(
            "Domain", "ForeignExports",
            ["Primitives", "OAuthWire", "AuthorizationCore", "Configuration", "Localization"]),

        // Web: HTTP request in, HTTP response out
        // Files are built in, so that a static release is one file.
        layer(
            "Web", "Pages", ["Primitives", "Localization", "OAuthWire", "ApprovalWire", "HTTPModel"],
            embedding: ["Files"]),
        // scripts/build-approver bundles "Files".
        .target(
            name: "Approver", dependencies: ["Primitives", "Pages"], path: "Sources/Web/Approver",
            exclude: ["Files", "sources.sha256"], resources: [.embedInCode("Built"), .embedInCode("Shell")],
            swiftSettings: strict),
        layer("Web", "APIDescription", ["Primitives", "JSONSchema", "OAuthWire", "HTTPModel"]),
        layer(
            "Web", "Routing",
            [
                "Primitives", "JSONSchema", "OAuthWire", "GuardianWire", "HTTPModel", "Tracing", "AuthorizationCore",
                "APIDescription",
            ]),
        layer(
            "Web", "ManagementAPI",
            [
                "Primitives", "JOSE", "X509", "JSONSchema", "Localization", "OAuthWire", "GuardianWire", "HTTPModel",
                "SearchQuery", "APIDescription", "Routing",
            ] + domain, embedding: ["Auth0/endpoints.txt"]),
        layer(
            "Web", "Endpoints",
            formats + [
                "AuthorizationCore", "Audit", "Flows", "Administration", "ApprovalWire", "JSONSchema", "Localization",
                "Tracing", "Pages", "Approver", "APIDescription", "Routing", "ManagementAPI",
            ]),

        // Adapters: the world, each behind a port
        layer("Adapters", "Files", ["Primitives"]),
        layer(
            "Adapters", "OpenSSLCrypto",
            ["COpenSSL", "COpenSSLSeam", "Primitives", "PasswordHashes", "JOSE", "X509", "Files"]),
        layer("Adapters", "ApplePlatform", ["Primitives", "JOSE", "HTTPModel"]),
        layer("Adapters", "SecretFiles", ["Files", "PlatformFoundation", "Primitives", "Threads"]),
        layer("Adapters", "Threads"),
        layer("Adapters", "RE2Patterns", ["CPatterns", "Primitives", "JSONSchema", "AuthorizationCore", "Threads"]),
        layer("Adapters", "Argon2Passwords", ["CArgon2", "Primitives", "PasswordHashes", "Threads"]),
        layer(
            "Adapters", "ForeignPasswords",
            ["CCrypt", "Primitives", "PasswordHashes", "Argon2Passwords", "OpenSSLCrypto", "Threads"]),
        layer("Adapters", "SQL", ["Primitives"]),
        layer("Adapters", "SQLiteDriver", ["CSQLite", "SQL", "Primitives", "Threads"]),
        layer("Adapters", "PostgreSQLDriver", ["CPostgreSQL", "SQL", "Threads"]),
        layer(
            "Adapters", "Persistence",
            ["Primitives", "JOSE", "Localization", "OAuthWire", "GuardianWire", "SearchQuery", "Tracing", "SQL"]
                + domain),
        layer("Adapters", "MicroHTTPServer", ["CMicroHTTPD", "CMicroHTTPDSeam", "HTTPModel", "Primitives", "Threads"]),
        layer("Adapters", "CurlTransport", ["CCurl", "HTTPModel", "Primitives", "Threads"]),
        layer("Adapters", "QRCodes", ["CQREncode"]),
        layer("Adapters", "FIDO2Passkeys", ["CFIDO2", "Primitives", "JOSE", "AuthorizationCore"]),
        layer("Adapters", "MaxMindPlaces", ["CMaxMindDB", "ApprovalWire", "AuthorizationCore"]),
        layer(
            "Adapters", "SMTPTransport",
            [
                "CCurl", "Primitives", "HTTPModel", "Localization", "AuthorizationCore", "Flows", "CurlTransport",
                "Threads",
            ]),
        layer(
            "Adapters", "Delivery",
            [
                "CCurl", "Primitives", "JOSE", "X509", "OAuthWire", "GuardianWire", "HTTPModel", "Tracing",
                "AuthorizationCore", "Flows",
            ]),

        // SDK: what app developers import
        layer(
            "SDK", "Guardian",
            ["Primitives", "JOSE", "Localization", "GuardianWire", "ApprovalWire", "HTTPModel", "SecretFiles"]
                + sdkAdapters),
        layer(
            "SDK", "CountersignClient",
            [
                "PlatformFoundation", "Primitives", "JOSE", "Localization", "OAuthWire", "ApprovalWire", "HTTPModel",
                "SecretFiles", "Threads",
            ] + sdkAdapters),

        // Apps: composition roots
        layer("Apps", "Terminal", ["CRevision", "QRCodes", "Primitives", "Threads", "Localization", "ApprovalWire"]),
        layer("Apps", "AgentGate", ["PlatformFoundation", "CountersignClient", "JOSE", "Primitives", "Files"]),
        layer("Apps", "PhoneScreen", ["Guardian", "Terminal", "Localization", "ApprovalWire", "Primitives"]),
        layer(
            "Apps", "CountersignServer",
            domain + [
                "Primitives", "JOSE", "X509", "OAuthWire", "HTTPModel", "Endpoints", "Routing", "ManagementAPI",
                "Files", "OpenSSLCrypto", "ForeignPasswords", "SQL", "SQLiteDriver", "PostgreSQLDriver", "Persistence",
                "MicroHTTPServer", "CurlTransport", "Delivery", "SMTPTransport", "QRCodes", "FIDO2Passkeys",
                "RE2Patterns", "MaxMindPlaces", "Tracing",
                "Threads", "CTimex",
            ]),
        app(
            "CountersignCommand", folder: "countersign",
            [
                "CountersignServer", "CountersignClient", "AgentGate", "ManagementAPI", "MicroHTTPServer", "Delivery",
                "Routing", "PostgreSQLDriver", "SMTPTransport", "CurlTransport", "Files",
                "QRCodes", "Terminal", "Localization", "X509", "ApprovalWire", "Primitives", "JOSE", "OAuthWire",
                "HTTPModel", "PlatformFoundation", "ForeignExports",
            ] + domain,
            // Takes the place of the C library's malloc (docs/decisions/0001).
            [.linkedLibrary("mimalloc", .when(platforms: [.linux]))]),
        app(
            "GuardianCommand", folder: "guardian",
            ["Guardian", "Terminal", "PhoneScreen", "Localization", "Primitives", "GuardianWire"]),
        app(
            "CountersignDemo", folder: "demo",
            [
                "Guardian", "CountersignClient", "Terminal", "PhoneScreen", "CurlTransport", "QRCodes", "Primitives",
                "JOSE", "HTTPModel",
            ]),

        // Benchmarks: measurements beside a reference. Glibc's module leaves epoll out.
        .systemLibrary(name: "CEpoll", path: "Benchmarks/Sources/CEpoll"),
        .target(name: "Load", dependencies: ["CEpoll"], path: "Benchmarks/Sources/Load", swiftSettings: strict),
        // Programs, phones and clients of a run.
        .target(
            name: "Workbench", dependencies: ["Load", "OpenSSLCrypto", "Primitives", "JOSE", "GuardianWire"],
            path: "Benchmarks/Sources/Workbench", swiftSettings: strict),
        // Judges a run by what its clients saw.
        .target(name: "Histories", path: "Benchmarks/Sources/Histories", swiftSettings: strict),
        .executableTarget(
            name: "faults", dependencies: ["Load", "Workbench", "Histories", "Primitives", "Threads"],
            path: "Benchmarks/Sources/faults", swiftSettings: strict),
        .executableTarget(
            name: "bench",
            dependencies: [
                "Load", "Workbench", "OpenSSLCrypto", "SQL", "SQLiteDriver", "Persistence", "CountersignServer",
                "Delivery", "ForeignPasswords", "PasswordHashes",
                "MicroHTTPServer", "Primitives", "JOSE", "OAuthWire", "GuardianWire", "HTTPModel", "Threads",
            ] + domain,
            path: "Benchmarks/Sources/bench", swiftSettings: strict),

        // Fixed loads whose instructions scripts/check-cost counts.
        .executableTarget(
            name: "cost",
            dependencies: [
                "TestSupport", "AuthorizationCore", "GuardianWire", "HTTPModel", "JOSE", "OAuthWire", "Primitives",
            ],
            path: "Benchmarks/Sources/cost", swiftSettings: strict,
            linkerSettings: [.linkedLibrary("mimalloc", .when(platforms: [.linux]))]),

        // Tests
        tests("PrimitivesTests", ["TestTools", "Primitives"]),
        tests("LocalizationTests", support: [], ["Localization"]),
        tests("JSONSchemaTests", ["TestTools", "Primitives", "JSONSchema", "RE2Patterns"]),
        tests("JOSETests", ["TestTools", "Primitives", "JOSE", "OpenSSLCrypto"]),
        tests("TemplatesTests", ["Primitives", "Templates"], exclude: ["LiquidCases.json"]),
        tests("X509Tests", ["TestTools", "Primitives", "JOSE", "X509"]),
        tests(
            "OpenSSLCryptoTests", support: [],
            [
                "COpenSSL", "COpenSSLSeam", "Primitives", "JOSE", "X509", "Files", "OpenSSLCrypto", "Argon2Passwords",
            ]),
        tests(
            "ForeignPasswordsTests", support: [],
            ["Primitives", "PasswordHashes", "Argon2Passwords", "ForeignPasswords", "OpenSSLCrypto"]),
        tests(
            "SQLTests", support: [], ["PostgreSQLCluster", "Primitives", "SQL", "SQLiteDriver", "PostgreSQLDriver"]),
        tests("TracingTests", support: [], ["Primitives", "Tracing"]),
        tests("MicroHTTPServerTests", ["HTTPModel", "Primitives", "MicroHTTPServer"]),
        tests("CurlTransportTests", ["Primitives", "HTTPModel", "CurlTransport"]),
        tests("TerminalTests", support: [], ["Primitives", "QRCodes", "Terminal"]),
        tests("ApplePlatformTests", support: [], ["ApplePlatform"]),
        tests("GuardianWireTests", ["TestTools", "Primitives", "JOSE", "GuardianWire"]),
        tests(
            "ApprovalWireTests",
            [
                "TestTools",
                "Primitives", "JOSE", "GuardianWire", "ApprovalWire", "Localization", "COpenSSL", "OpenSSLCrypto",
                "AuthorizationCore", "Flows", "Pages", "Terminal",
            ]),
        tests(
            "GuardianTests", support: [],
            ["Primitives", "JOSE", "GuardianWire", "ApprovalWire", "HTTPModel", "OpenSSLCrypto", "Guardian"]),
        tests(
            "GuardianCommandTests", support: [],
            [
                "Primitives", "Localization", "GuardianWire", "ApprovalWire", "HTTPModel", "Guardian", "Terminal",
                "PhoneScreen", "GuardianCommand",
            ]),
        // The documents' samples as an app developer builds them: Swift 6 without our upcoming features.
        .testTarget(
            name: "GuardianSampleTests", dependencies: ["Guardian", "HTTPModel"], path: "Tests/GuardianSampleTests"),
        tests(
            "CountersignClientTests",
            ["Primitives", "JOSE", "OAuthWire", "ApprovalWire", "HTTPModel", "OpenSSLCrypto", "CountersignClient"]),
        tests(
            "FlowsTests",
            formats + [
                "TestTools",
                "ApprovalWire", "Localization", "JSONSchema", "OpenSSLCrypto", "FIDO2Passkeys", "CurlTransport",
                "Delivery", "SQL", "Persistence",
            ] + domain),
        tests(
            "AdministrationTests",
            [
                "TestTools",
                "Primitives", "JOSE", "JSONSchema", "X509", "Localization", "OAuthWire", "SearchQuery",
                "AuthorizationCore", "Audit", "Configuration", "Administration", "OpenSSLCrypto", "RE2Patterns",
            ]),
        tests(
            "PersistenceTests",
            [
                "TestTools",
                "Primitives", "JOSE", "Localization", "OAuthWire", "GuardianWire", "SearchQuery", "SQL",
                "SQLiteDriver", "PostgreSQLCluster", "PostgreSQLDriver", "OpenSSLCrypto",
            ]
                + domain
                + ["Persistence"]),
        tests(
            "ForeignExportsTests", support: [], ["Primitives", "AuthorizationCore", "Configuration", "ForeignExports"],
            exclude: ["Exports"]),
        tests("MaxMindPlacesTests", support: [], ["ApprovalWire", "MaxMindPlaces"]),
        tests("FIDO2PasskeysTests", ["Primitives", "JOSE", "GuardianWire", "AuthorizationCore", "FIDO2Passkeys"]),
        tests(
            "SMTPTransportTests",
            [
                "Primitives", "HTTPModel", "Localization", "AuthorizationCore", "Flows", "CurlTransport",
                "SMTPTransport",
            ]),
        tests(
            "DeliveryTests",
            [
                "TestTools",
                "Primitives", "JOSE", "GuardianWire", "ApprovalWire", "HTTPModel", "Localization", "AuthorizationCore",
                "Audit", "Configuration",
                "Flows", "Delivery", "Persistence", "OpenSSLCrypto", "CurlTransport",
            ]),
        tests(
            "AgentGateTests",
            [
                "Primitives", "HTTPModel", "OpenSSLCrypto", "CountersignClient", "AgentGate", "AuthorizationCore",
                "JSONSchema", "OAuthWire", "CountersignServer",
            ]),
        tests(
            "EndpointsTests",
            formats + [
                "TestTools",
                "Localization", "AuthorizationCore", "Flows", "APIDescription", "Approver", "Endpoints", "Routing",
                "OpenSSLCrypto", "SQL", "CMicroHTTPD", "MicroHTTPServer", "Tracing",
            ]),
        tests(
            "ManagementAPITests",
            [
                "TestTools",
                "Primitives", "JOSE", "OAuthWire", "HTTPModel", "Endpoints", "JSONSchema", "OpenSSLCrypto",
                "Audit", "AuthorizationCore", "Configuration", "Flows", "Administration", "Persistence",
                "APIDescription",
            ]),
        .testTarget(
            name: "LoadTests", dependencies: ["Load"], path: "Benchmarks/Tests/LoadTests", swiftSettings: strict),
        .testTarget(
            name: "HistoriesTests", dependencies: ["Histories"], path: "Benchmarks/Tests/HistoriesTests",
            swiftSettings: strict),
        // The repository's own documents and tests, read as files.
        .testTarget(name: "RepositoryTests", path: "Tests/RepositoryTests", swiftSettings: strict),
        tests("ApproverTests", support: [], ["Primitives", "OpenSSLCrypto", "Pages", "Approver"]),
        tests("PagesTests", ["Primitives", "Localization", "OAuthWire", "HTTPModel", "OpenSSLCrypto", "Pages"]),
        tests(
            "ConformanceTests", folder: "Conformance",
            formats + [
                "TestTools",
                "ApprovalWire", "X509", "Localization", "AuthorizationCore", "Audit", "Configuration", "Flows",
                "Administration", "Endpoints",
                "OpenSSLCrypto",
            ]),
        tests(
            "CountersignServerTests",
            [
                "TestTools",
                "Primitives", "JOSE", "HTTPModel", "GuardianWire", "AuthorizationCore", "Audit", "Files",
                "OpenSSLCrypto",
                "CurlTransport", "Persistence", "SQL", "PostgreSQLCluster", "PostgreSQLDriver", "MicroHTTPServer",
                "CountersignServer", "CountersignCommand",
                "SMTPTransport", "Tracing",
                "Delivery", "Flows", "Terminal", "X509",
            ]),
        // The programs themselves, beside the test bundle; they are built with it.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Primitives", "JOSE", "GuardianWire", "HTTPModel", "OpenSSLCrypto", "CurlTransport", "MicroHTTPServer",
                "CountersignClient", "PostgreSQLCluster", "TestSupport",
            ],
            path: "Tests/EndToEnd",
            swiftSettings: strict),
        // Tools that need the testing library or what only tests may see, which no release build has.
        .target(
            name: "TestTools",
            dependencies: [
                "TestSupport", "COpenSSL", "OpenSSLCrypto", "Primitives", "JOSE", "GuardianWire", "HTTPModel",
                "CurlTransport", "Delivery", "MicroHTTPServer",
            ], path: "Tests/TestTools", swiftSettings: strict),
        // A PostgreSQL server of the tests' process.
        .target(
            name: "PostgreSQLCluster", dependencies: ["CPostgreSQL", "PostgreSQLDriver"],
            path: "Tests/PostgreSQLCluster", swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: formats + domain + [
                "ApprovalWire", "SearchQuery", "Endpoints", "Routing", "ManagementAPI", "OpenSSLCrypto",
                "X509", "Tracing",
                "Persistence",
                "SQLiteDriver", "PostgreSQLDriver", "PostgreSQLCluster", "SQL", "Delivery", "MicroHTTPServer",
                "CurlTransport", "JSONSchema", "RE2Patterns", "FIDO2Passkeys",
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
    ]
)
