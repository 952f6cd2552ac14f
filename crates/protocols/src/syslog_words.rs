//! The words of syslog for severities and facilities, which journald and GELF count in the same way.

const SEVERITIES: [&str; 8] =
    ["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"];

const FACILITIES: [&str; 24] = [
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp",
    "ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4", "local5", "local6",
    "local7",
];

pub(crate) fn severity(number: u32) -> Option<&'static str> {
    SEVERITIES.get(number as usize).copied()
}

pub(crate) fn facility(number: u32) -> Option<&'static str> {
    FACILITIES.get(number as usize).copied()
}
