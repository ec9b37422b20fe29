// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses or builds the product pays for its measurements.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Countersign", path: "..")],
    targets: [
        // Glibc's module leaves epoll out.
        .systemLibrary(name: "CEpoll"),
        .target(name: "Load", dependencies: ["CEpoll"], swiftSettings: strict),
        .executableTarget(
            name: "bench",
            dependencies: ["Load", .product(name: "BenchmarkParts", package: "Countersign")],
            swiftSettings: strict),
        .testTarget(name: "LoadTests", dependencies: ["Load"], swiftSettings: strict),
    ]
)
