//! A terminal of a size that a test chooses, for a command to draw on.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A command that draws on a terminal of its own.
pub(crate) struct Drawing {
    pub(crate) child: Child,
    /// What it has drawn comes out here.
    drawn: File,
}

impl Drawing {
    /// Starts a command whose answer goes to a terminal, and its messages too if they are wanted.
    pub(crate) fn start(mut command: Command, columns: u16, lines: u16, with_messages: bool) -> Self {
        let (drawn, screen) = terminal(columns, lines);
        let messages = if with_messages { Stdio::from(screen.try_clone().unwrap()) } else { Stdio::null() };
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::from(screen)).stderr(messages).spawn().unwrap();
        // With the command goes our end of its screen, so that its end is noticed.
        drop(command);
        Self { child, drawn }
    }

    /// What is drawn until it is enough, or until the command ends.
    pub(crate) fn read_until(&mut self, is_enough: impl Fn(&str) -> bool) -> String {
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if is_enough(&text) {
                return text;
            }
            match self.drawn.read(&mut piece) {
                Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
                // It is an error to read where nobody has the screen open any more.
                _ => return text,
            }
        }
    }
}

/// Both ends of a terminal: where what is drawn comes out, and the screen.
fn terminal(columns: u16, lines: u16) -> (File, OwnedFd) {
    let main = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&main).unwrap();
    unlockpt(&main).unwrap();
    let name = ptsname(&main, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let screen = open(name.as_c_str(), flags, Mode::empty()).unwrap();
    let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&screen, size).unwrap();
    (File::from(main), screen)
}
