//! Scopes of requests: which there are, which lie within which, and what they are called in plain words.

use tidegauge_auth::oauth::Scopes;
use tidegauge_auth::oauth::scopes::ALL;

use super::error::{ErrorCode, OAuthError};

/// Words that clients of other servers send, and that allow nothing here.
const IGNORED: [&str; 4] = ["openid", "profile", "email", "offline_access"];

/// Longest scope of a request.
const LENGTH_MAX: usize = 4_096;

/// Reads the scope that a client asks for. Without one, it asks for all that the person may.
pub fn read(asked: Option<&str>) -> Result<String, OAuthError> {
    let Some(asked) = asked else {
        return Ok(ALL.to_owned());
    };
    if asked.len() > LENGTH_MAX {
        return Err(invalid("the scope is too long"));
    }
    let known = Scopes::names();
    let mut words: Vec<&str> = Vec::new();
    for word in asked.split(' ').filter(|word| !word.is_empty() && !IGNORED.contains(word)) {
        if word != ALL && !known.iter().any(|name| name == word) {
            let word: String = word.chars().take(64).collect();
            return Err(invalid(&format!("the scope {word} is not known: scopes are * and area|action")));
        }
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if words.contains(&ALL) {
        return Ok(ALL.to_owned());
    }
    Ok(words.join(" "))
}

fn invalid(description: &str) -> OAuthError {
    OAuthError::new(ErrorCode::InvalidScope, description)
}

/// Whether all of one scope is in another.
pub fn is_within(asked: &str, granted: &str) -> bool {
    granted == ALL || asked.split_whitespace().all(|word| granted.split_whitespace().any(|held| held == word))
}

/// The scope of a token that is refreshed: what is asked for, which must lie within what was granted, or all of that.
pub fn narrowed(asked: Option<&str>, granted: &str) -> Result<String, OAuthError> {
    let Some(asked) = asked else {
        return Ok(granted.to_owned());
    };
    let asked = read(Some(asked))?;
    if is_within(&asked, granted) { Ok(asked) } else { Err(invalid("the scope is more than was granted")) }
}

/// What a scope allows, as lines for people.
pub fn in_words(scope: &str) -> Vec<String> {
    if scope == ALL {
        return vec!["Everything that you may do".to_owned()];
    }
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for word in scope.split_whitespace() {
        let Some((area, action)) = word.split_once('|') else { continue };
        let area = area_in_words(area);
        match lines.iter_mut().find(|(known, _)| *known == area) {
            Some((_, actions)) => actions.push(action_in_words(action)),
            None => lines.push((area, vec![action_in_words(action)])),
        }
    }
    if lines.is_empty() {
        return vec!["Know who you are, and nothing else".to_owned()];
    }
    lines.into_iter().map(|(area, actions)| sentence(&area, &actions)).collect()
}

fn sentence(area: &str, actions: &[&str]) -> String {
    match area {
        "ingest" => return "Send events to every dataset".to_owned(),
        "query" => return "Read the events of every dataset".to_owned(),
        "trim" => return "Delete old events of every dataset".to_owned(),
        "data" => return "Delete single events of every dataset".to_owned(),
        "vacuum" => return "Clean up the fields of every dataset".to_owned(),
        _ => {}
    }
    let verbs = match actions {
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => return area.to_owned(),
    };
    let mut letters = verbs.chars();
    let capital = letters.next().map(|first| first.to_ascii_uppercase().to_string()).unwrap_or_default();
    format!("{capital}{} {area}", letters.as_str())
}

fn action_in_words(action: &str) -> &str {
    match action {
        "read" => "see",
        "update" => "change",
        other => other,
    }
}

fn area_in_words(area: &str) -> String {
    match area {
        "ingest" | "query" | "trim" | "data" | "vacuum" => area,
        "apiTokens" => "API tokens and OAuth clients",
        "auditLog" => "the audit log",
        "billing" => "billing",
        "rbac" => "roles and groups",
        "sharedAccessKeys" => "shared access keys",
        "starredQueries" => "saved queries",
        "virtualFields" => "virtual fields",
        "share" => "shares of datasets",
        other => other,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_known_words_once_each() {
        assert_eq!(read(None).unwrap(), "*");
        assert_eq!(read(Some("openid")).unwrap(), "");
        assert_eq!(
            read(Some("query|read  openid query|read ingest|create")).unwrap(),
            "query|read ingest|create"
        );
        assert_eq!(read(Some("query|read *")).unwrap(), "*");
        for wrong in
            ["everything", "query|write", "QUERY|READ", "query|read\tingest|create", &"x".repeat(5_000)]
        {
            assert_eq!(read(Some(wrong)).unwrap_err().code, ErrorCode::InvalidScope, "{wrong}");
        }
    }

    #[test]
    fn a_refreshed_token_never_has_more() {
        let granted = "query|read ingest|create";
        assert_eq!(narrowed(None, granted).unwrap(), granted);
        assert_eq!(narrowed(Some("query|read"), granted).unwrap(), "query|read");
        assert_eq!(narrowed(Some("query|read"), "*").unwrap(), "query|read");
        for more in ["*", "users|read", "query|read users|read"] {
            assert!(narrowed(Some(more), granted).is_err(), "{more}");
        }
    }

    #[test]
    fn people_read_sentences() {
        assert_eq!(in_words("*"), ["Everything that you may do"]);
        let scope = "query|read notifiers|read notifiers|update notifiers|delete rbac|create";
        let lines = [
            "Read the events of every dataset",
            "See, change and delete notifiers",
            "Create roles and groups",
        ];
        assert_eq!(in_words(scope), lines);
        assert_eq!(in_words(""), ["Know who you are, and nothing else"]);
        for name in Scopes::names() {
            assert!(!in_words(&name)[0].contains('|'), "{name}");
        }
    }
}
