public enum CurlTransportSeed {}
