//! A way to PostgreSQL that can be cut at any message of a client: before the server has it, or after the server has done
//! it and before the client hears of that. Every connection is cut then, as by a server that fails over; new ones are
//! let through at once. The tests of the service's binary use it too.

use std::io::{Read, Result, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What a client asks before it says who it is: whether the connection may be encrypted. It may not.
const ASKS_FOR_ENCRYPTION: [u32; 2] = [80_877_103, 80_877_104];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The server never sees the message.
    Before,
    /// The server has done what it says.
    After,
}

/// Where the way is cut: at a message, counted over all connections since it was said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Only messages that begin so are counted: a kind and a text, such as `Q COMMIT`.
    pub(super) of: &'static str,
    pub(super) message: usize,
    pub(super) side: Side,
}

/// What happened since it was said.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    messages: usize,
    /// The message at which it was cut, and what the client meant by it.
    pub(super) cut_at: Option<String>,
}

pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    way: Arc<Way>,
}

struct Way {
    server: String,
    plan: Mutex<(Option<Cut>, Seen)>,
    open: Mutex<Vec<TcpStream>>,
    is_over: AtomicBool,
}

impl Proxy {
    /// Before a server, by its host and port.
    pub(super) fn before(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let way = Arc::new(Way {
            server: server.to_owned(),
            plan: Mutex::default(),
            open: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&way);
        std::thread::spawn(move || accepting.accept(&listener));
        Self { address, way }
    }

    pub(super) fn cut(&self, cut: Cut) {
        *self.way.plan.lock().unwrap() = (Some(cut), Seen::default());
    }

    /// Lets everything through, and tells what happened until now.
    pub(super) fn mend(&self) -> Seen {
        std::mem::take(&mut *self.way.plan.lock().unwrap()).1
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.way.is_over.store(true, Ordering::Release);
        self.way.cut_all();
        // Wakes who accepts, to see that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

impl Way {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for client in listener.incoming() {
            if self.is_over.load(Ordering::Acquire) {
                return;
            }
            let (way, client) = (Arc::clone(self), client.unwrap());
            std::thread::spawn(move || {
                // It ends with an error when it is cut, or when either side has had enough.
                let _ = way.carry(client);
            });
        }
    }

    /// Carries messages of a client to the server until one side ends; answers go back beside that.
    fn carry(self: &Arc<Self>, mut client: TcpStream) -> Result<()> {
        let mut server = TcpStream::connect(&self.server)?;
        server.set_nodelay(true)?;
        client.set_nodelay(true)?;
        greet(&mut client, &mut server)?;
        self.open.lock().unwrap().extend([client.try_clone()?, server.try_clone()?]);
        let swallows = Arc::new(AtomicBool::new(false));
        let (way, told) = (Arc::clone(self), Arc::clone(&swallows));
        let (mut from, mut to) = (server.try_clone()?, client.try_clone()?);
        std::thread::spawn(move || {
            let _ = way.answer(&mut from, &mut to, &told);
            let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
        });
        loop {
            let message = read_message(&mut client);
            let Ok(message) = message else {
                return server.shutdown(Shutdown::Both);
            };
            match self.side_of(&message) {
                None => server.write_all(&message)?,
                Some(Side::Before) => {
                    self.cut_all();
                    return Ok(());
                }
                Some(Side::After) => {
                    // What the server does not answer by itself, it has done nothing of yet.
                    let is_answered = matches!(message[0], b'Q' | b'S');
                    swallows.store(is_answered, Ordering::Release);
                    server.write_all(&message)?;
                    if !is_answered {
                        self.cut_all();
                    }
                }
            }
        }
    }

    fn answer(&self, server: &mut TcpStream, client: &mut TcpStream, swallows: &AtomicBool) -> Result<()> {
        loop {
            let message = read_message(server)?;
            if !swallows.load(Ordering::Acquire) {
                client.write_all(&message)?;
            } else if message[0] == b'Z' {
                // It is ready for the next: all is done, and nobody was told.
                self.cut_all();
                return Ok(());
            }
        }
    }

    /// Whether it is cut at this message.
    fn side_of(&self, message: &[u8]) -> Option<Side> {
        let mut plan = self.plan.lock().unwrap();
        let (cut, seen) = &mut *plan;
        let wanted = (*cut)?;
        let text = message.get(5..).unwrap_or_default().split(|byte| *byte == 0).next().unwrap_or_default();
        let told = format!("{} {}", char::from(message[0]), String::from_utf8_lossy(text));
        if !told.starts_with(wanted.of) {
            return None;
        }
        seen.messages += 1;
        if seen.messages != wanted.message {
            return None;
        }
        seen.cut_at = Some(told);
        Some(wanted.side)
    }

    fn cut_all(&self) {
        for connection in self.open.lock().unwrap().drain(..) {
            // It may have ended already, which is as good.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

/// What comes before the first message of a kind: the client says who it is.
fn greet(client: &mut TcpStream, server: &mut TcpStream) -> Result<()> {
    loop {
        let mut head = [0; 8];
        client.read_exact(&mut head)?;
        let number = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if ASKS_FOR_ENCRYPTION.contains(&number(4)) {
            client.write_all(b"N")?;
            continue;
        }
        let mut rest = vec![0; number(0) as usize - head.len()];
        client.read_exact(&mut rest)?;
        server.write_all(&head)?;
        return server.write_all(&rest);
    }
}

/// A message with its kind and its length.
fn read_message(from: &mut TcpStream) -> Result<Vec<u8>> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let mut message = head.to_vec();
    message.resize(1 + length, 0);
    from.read_exact(&mut message[5..])?;
    Ok(message)
}
