//! A checksum that shows whether bytes have changed: 64 bits of FNV-1a. It detects accidental changes, not deliberate
//! ones.
//!
//! The build script includes this file as well, so it uses nothing of the crate.
//!
//! Source: Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923).

/// The checksum of some bytes.
pub fn checksum(bytes: &[u8]) -> u64 {
    checksum_on(0xCBF2_9CE4_8422_2325, bytes)
}

/// The checksum of bytes that have this one, followed by `bytes`.
pub fn checksum_on(checksum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(checksum, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_match_fnv_1a() {
        assert_eq!(checksum(b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(checksum(b"a"), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_F739_67E8);
        assert_eq!(checksum_on(checksum(b"foo"), b"bar"), checksum(b"foobar"));
    }
}
