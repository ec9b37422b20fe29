// Apple's platforms share one Foundation among all programs. Elsewhere it is Foundation without the data of ICU, which are
// 31 MB of a program, and like it with the C library.
#if canImport(CryptoKit)
    @_exported public import Foundation
#else
    @_exported public import FoundationEssentials
    #if canImport(Musl)
        @_exported public import Musl
    #else
        @_exported public import Glibc
    #endif
#endif
