public enum PersistenceSeed {}
