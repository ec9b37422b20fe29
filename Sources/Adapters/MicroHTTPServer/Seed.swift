public enum MicroHTTPServerSeed {}
