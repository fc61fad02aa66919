//! What a finding is called from run to run.

use raddle_detect::Finding;

/// How many letters an id has.
const LETTERS_OF_ID: usize = 5;

/// A short name for a fault: the same for the same fault of the same program.
#[must_use]
pub fn finding_id(program: &str, finding: &Finding) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut hash = hash(&format!("{program} {}", fault(finding)));
    let mut id = String::new();
    for _ in 0..LETTERS_OF_ID {
        hash = hash.rotate_left(13).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        id.push(char::from(LETTERS[(hash >> 59) as usize]));
    }
    id
}

/// A number for a fault that does not depend on the program's name: the kind and all places.
pub(crate) fn fingerprint(finding: &Finding) -> String {
    format!("{:016x}", hash(&fault(finding)))
}

fn fault(finding: &Finding) -> String {
    format!("{} {} {:?}", finding.kind.word(), finding.place, finding.places())
}

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
