public enum CountersignServerSeed {}
