// Foundation without the data of ICU, which are 31 MB of a program, and like it with the C library. Apple's platforms share
// one Foundation among all programs.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
    #if canImport(Musl)
        @_exported public import Musl
    #else
        @_exported public import Glibc
    #endif
#else
    @_exported public import Foundation
#endif
