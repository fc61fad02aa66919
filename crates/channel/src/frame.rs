//! Frames: how messages are cut out of a stream of bytes.
//!
//! A frame is `RDL`, a version, the length and the CRC-32 of what follows, each of the numbers as four bytes, the lowest
//! first; then the message.

use std::io::{self, Read, Write};

use crate::wire::{Input, Output, Wire, WireError};

/// The version that is written, and the only one that is read.
pub const VERSION: u8 = 3;

/// The exit code of a program that does not understand its task.
pub const NOT_UNDERSTOOD: i32 = 4;

/// What the supervisor says after the task, each one byte: the search is to stop, to wait between two runs, or to go on.
pub const STOP: u8 = b's';
/// See [`STOP`].
pub const PAUSE: u8 = b'p';
/// See [`STOP`].
pub const GO_ON: u8 = b'g';

/// The loader's variable that has it find all functions before the program begins, and the value by which the runtime knows
/// that it is not the user's: found in each process that makes a run, they would be found again and again.
pub const FIND_FUNCTIONS_FIRST: (&str, &str) = ("LD_BIND_NOW", "raddle");

/// Bytes of a message that the reader accepts.
pub const MAX_MESSAGE: usize = 64 << 20;

const HEAD: usize = 12;

/// Why no message could be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// The other side is gone.
    #[error("the channel to the program under test was closed in the middle of a message")]
    Closed,
    /// The system says no.
    #[error("the channel to the program under test failed: {0}")]
    Io(#[from] io::Error),
    /// These are not our frames.
    #[error(
        "the channel to the program under test carries something else than messages: the program wrote into it"
    )]
    Scribbled,
    /// The other side is of another version.
    #[error(
        "the program under test speaks version {0} of the channel, this is version {VERSION}: build the program again"
    )]
    OtherVersion(u8),
    /// Larger than any message of ours.
    #[error("a message of {0} bytes is larger than {MAX_MESSAGE}")]
    TooLarge(usize),
    /// Not what was sent.
    #[error("a message on the channel was damaged: its checksum does not match")]
    Checksum,
    /// No message of ours.
    #[error("a message on the channel makes no sense: {0}")]
    Wire(#[from] WireError),
}

/// The message as a frame.
#[must_use]
pub fn to_bytes<T: Wire>(message: &T) -> Vec<u8> {
    let mut out = Output::default();
    out.bytes.resize(HEAD, 0);
    message.put(&mut out);
    let mut frame = out.bytes;
    let length = (frame.len() - HEAD) as u32;
    let sum = crc32fast::hash(&frame[HEAD..]);
    frame[..4].copy_from_slice(&[b'R', b'D', b'L', VERSION]);
    frame[4..8].copy_from_slice(&length.to_le_bytes());
    frame[8..HEAD].copy_from_slice(&sum.to_le_bytes());
    frame
}

/// Writes a message.
///
/// # Errors
/// If the other side is gone.
pub fn write<T: Wire>(to: &mut dyn Write, message: &T) -> Result<(), ChannelError> {
    to.write_all(&to_bytes(message))?;
    to.flush()?;
    Ok(())
}

/// Reads the next message; `None` if the other side closed the channel after a whole one.
///
/// # Errors
/// If there is no whole, undamaged message.
pub fn read<T: Wire>(from: &mut dyn Read) -> Result<Option<T>, ChannelError> {
    let mut head = [0_u8; HEAD];
    let mut filled = 0;
    while filled < HEAD {
        match from.read(&mut head[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(ChannelError::Closed),
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let (length, sum) = head_of(&head)?;
    // Grows with what really arrives, whatever the head says.
    let mut message = Vec::new();
    from.take(length as u64).read_to_end(&mut message)?;
    if message.len() < length {
        return Err(ChannelError::Closed);
    }
    if crc32fast::hash(&message) != sum {
        return Err(ChannelError::Checksum);
    }
    let mut input = Input::new(&message);
    let value = T::take(&mut input)?;
    input.end()?;
    Ok(Some(value))
}

fn head_of(head: &[u8; HEAD]) -> Result<(usize, u32), ChannelError> {
    let [r, d, l, version, a, b, c, e, f, g, h, i] = *head;
    if [r, d, l] != *b"RDL" {
        return Err(ChannelError::Scribbled);
    }
    if version != VERSION {
        return Err(ChannelError::OtherVersion(version));
    }
    let length = u32::from_le_bytes([a, b, c, e]) as usize;
    if length > MAX_MESSAGE {
        return Err(ChannelError::TooLarge(length));
    }
    Ok((length, u32::from_le_bytes([f, g, h, i])))
}
