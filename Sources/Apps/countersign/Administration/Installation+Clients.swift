import Administration
import CountersignServer
import OpenSSLCrypto

extension Installation {
    var clientGrants: ManageClientGrants { ManageClientGrants(store: configuration, hashing: OpenSSLHashing()) }

    var clientCredentials: ManageClientCredentials {
        ManageClientCredentials(store: configuration, random: SystemRandom(), hashing: OpenSSLHashing())
    }

    var userAccess: ManageUserAccess { ManageUserAccess(store: configuration) }

    var userBlocks: ManageUserBlocks { ManageUserBlocks(store: configuration, hashing: OpenSSLHashing()) }
}
