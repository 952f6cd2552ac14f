//! Why a mail was not taken, in words for who reads the attempts of a delivery: they say what to do, and nothing of what
//! the mail server said, which may repeat what it was told.

use std::error::Error;
use std::io;

use lettre::transport::smtp::Error as SmtpError;
use rustls::CertificateError;

pub(super) fn reason(error: &SmtpError) -> String {
    if let Some(code) = error.status() {
        return format!("the mail server answers {code}");
    }
    let reason = match tls_error(error) {
        Some(problem) => of_tls(problem),
        None if error.is_timeout() => "the mail server is too slow",
        None if error.is_tls() => FAILED,
        None if lacks_starttls(error) => {
            "the mail server offers no STARTTLS: set smtp_encryption to tls and smtp_port to its port for that, or let \
             it offer STARTTLS"
        }
        None if error.is_client() => "the mail server does not offer what the settings ask for",
        None => "the mail server cannot be reached",
    };
    reason.to_owned()
}

const FAILED: &str = "the encrypted connection to the mail server failed";

/// There is no kind of error for it. The words are those of the SMTP client, never of the server.
fn lacks_starttls(error: &SmtpError) -> bool {
    error.is_client()
        && error.source().is_some_and(|cause| cause.to_string().starts_with("STARTTLS is not supported"))
}

/// The mistake of TLS behind an error, wherever it stands.
fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<rustls::Error>() {
            return Some(found);
        }
        // What an I/O error was made of is not its source.
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

fn of_tls(error: &rustls::Error) -> &'static str {
    use CertificateError as Problem;
    match error {
        rustls::Error::InvalidCertificate(problem) => match problem {
            Problem::Expired | Problem::ExpiredContext { .. } => {
                "the certificate of the mail server has expired: renew it there"
            }
            Problem::NotValidYet | Problem::NotValidYetContext { .. } => {
                "the certificate of the mail server counts from a later time on: see the clocks of both machines"
            }
            Problem::NotValidForName | Problem::NotValidForNameContext { .. } => {
                "the certificate of the mail server is for another name: set smtp_host to one that it is for"
            }
            Problem::UnknownIssuer => {
                "nobody who is trusted here signed the certificate of the mail server: name who did in smtp_ca_file"
            }
            _ => {
                "the certificate of the mail server is not good: see that it is for a server, and who signed it"
            }
        },
        rustls::Error::InvalidMessage(_) => {
            "the mail server does not begin with TLS on this port: set smtp_encryption to starttls, or smtp_port to its \
             port for TLS"
        }
        _ => FAILED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_certificate_is_told_with_what_to_do() {
        for (problem, expected) in [
            (CertificateError::Expired, "renew it"),
            (CertificateError::NotValidYet, "clocks"),
            (CertificateError::NotValidForName, "smtp_host"),
            (CertificateError::UnknownIssuer, "smtp_ca_file"),
            (CertificateError::BadEncoding, "is not good"),
        ] {
            // As it comes from a connection: in an I/O error.
            let error =
                io::Error::new(io::ErrorKind::InvalidData, rustls::Error::InvalidCertificate(problem));
            let told = of_tls(tls_error(&error).unwrap());
            assert!(told.contains(expected), "{told}");
        }
        assert!(tls_error(&io::Error::other("no such host")).is_none());
    }
}
