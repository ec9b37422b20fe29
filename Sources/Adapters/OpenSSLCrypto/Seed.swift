public enum OpenSSLCryptoSeed {}
