//! The layers of configuration, through `load`.

use std::io::Write;

use super::arguments::{Given, SettingArguments};
use super::layers::load;
use super::*;

fn given(key: &str, text: &str) -> Given {
    Given { key: key.to_owned(), text: text.to_owned(), place: format!("flag --{key}"), is_flag: true }
}

fn with_file(text: &str, given: Vec<Given>) -> Result<Config, Error> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    load(&SettingArguments { file: Some(file.path().to_owned()), given })
}

#[test]
fn the_reference_alone_is_a_whole_configuration() {
    let config = load(&SettingArguments::default()).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert!(matches!(config.catalog, Location::Sqlite(path) if path == *"data/catalog.sqlite"));
}

#[test]
fn a_service_that_was_told_nothing_listens_to_its_own_machine_alone() {
    let config = load(&SettingArguments::default()).unwrap();
    assert!(config.listen.ip().is_loopback(), "{}", config.listen);
}

#[test]
fn one_of_64_answers_from_kept_groups_is_compared() {
    let config = load(&SettingArguments::default()).unwrap();
    assert_eq!(config.engine.groups_checked_each, 64);
}

#[test]
fn a_flag_counts_more_than_the_file_and_the_file_more_than_the_reference() {
    let text = "[server]\nlisten = \"127.0.0.1:9000\"\nrequest_timeout_seconds = 5\n";
    let config = with_file(text, vec![given("listen", "127.0.0.1:9001")]).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:9001");
    assert_eq!(config.http.request_timeout, Duration::from_secs(5));
}

#[test]
fn errors_name_the_place_and_the_setting() {
    let cases = [
        (with_file("[server]\nlitsen = \"x\"", vec![]), "[server] has no setting litsen"),
        (with_file("[servr]\n", vec![]), "[servr] is not a section"),
        (with_file("[server]\nmax_body_bytes = \"1 MB\"", vec![]), "must be a integer, not a string"),
        (with_file("[server\n", vec![]), "line 1"),
        (
            with_file("", vec![given("max_body_bytes", "many")]),
            "flag --max_body_bytes: \"many\" is not a whole",
        ),
        (with_file("", vec![given("listen", "nowhere")]), "setting listen: \"nowhere\" is not an address"),
        (with_file("", vec![given("tls_cert", "cert.pem")]), "setting tls_key: must be set too"),
        (with_file("", vec![given("first_token", "xaat-1")]), "setting first_token: must have the form"),
        (with_file("", vec![given("log_format", "xml")]), "setting log_format"),
        (
            with_file("", vec![given("organisation_creation", "nobody")]),
            "setting organisation_creation: \"nobody\" is neither any nor first",
        ),
        (with_file("", vec![given("public_url", "events.example.com")]), "setting public_url: "),
        (
            with_file("", vec![given("trusted_proxies", "10.0.0.0/8, proxy")]),
            "setting trusted_proxies: \"proxy\"",
        ),
        (
            with_file(
                "[server]\ntls_cert = \"c\"\ntls_key = \"k\"",
                vec![given("public_url", "http://events.example.com")],
            ),
            "setting public_url: must begin with https://",
        ),
    ];
    for (result, expected) in cases {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn nobody_is_a_trusted_proxy_unless_it_is_named() {
    let config = load(&SettingArguments::default()).unwrap();
    let named = with_file("", vec![given("trusted_proxies", "10.0.0.0/8, fd00:1::/64,")]).unwrap();
    for address in ["10.1.2.3", "fd00:1::9"] {
        assert!(!config.trusted_proxies.contains(address.parse().unwrap()));
        assert!(named.trusted_proxies.contains(address.parse().unwrap()));
    }
    assert!(!named.trusted_proxies.contains("127.0.0.1".parse().unwrap()));
}

#[test]
fn the_object_cache_is_off_or_worth_having() {
    let bytes = |text: &str| with_file("", vec![given("objects_cache_bytes", text)]);
    for allowed in [0_u64, 16 << 20] {
        assert_eq!(bytes(&allowed.to_string()).unwrap().store.object_cache_bytes, allowed);
    }
    for refused in [1, (16 << 20) - 1] {
        let message = bytes(&refused.to_string()).unwrap_err().to_string();
        assert!(
            message.contains("setting objects_cache_bytes: must be at least 16777216, or 0"),
            "{message}"
        );
    }
    assert_eq!(load(&SettingArguments::default()).unwrap().store.object_cache_bytes, 8 << 30);
}

#[test]
fn a_wrong_catalogue_address_does_not_show_its_password() {
    let error = with_file("", vec![given("catalog", "mysql://user:geheim@host/db")]).unwrap_err();
    assert!(!error.to_string().contains("geheim"));
}

#[test]
fn every_setting_has_a_description_and_a_default_of_its_own() {
    let settings = reference::settings();
    let mut sections = reference::table();
    let issuer = toml::Value::Table(reference::take_issuer(&mut sections));
    assert!(issuer.get("url").is_some());
    sections["oauth"].as_table_mut().unwrap().remove("issuers");
    let keys: usize = sections.values().filter_map(|section| Some(section.as_table()?.len())).sum();
    assert_eq!(settings.len(), keys, "a setting is not written as `key = value` on a line of its own");
    assert!(settings.iter().all(|setting| !setting.help.is_empty()));
    for setting in settings.iter().chain(&reference::issuer_settings()) {
        let mut read = sections.values().chain([&issuer]).filter_map(|section| section.get(setting.key));
        assert!(
            read.any(|value| value.to_string() == setting.default),
            "{setting:?} is written in another way"
        );
    }
}

#[test]
fn the_page_of_settings_says_what_the_reference_says() {
    let page = include_str!("../../../../docs/reference/config.md");
    for setting in reference::settings() {
        let default = setting.some_default().map_or("none".to_owned(), |default| format!("`{default}`"));
        let row = format!(
            "| `{}`, `--{}` | `{}` | {default} | {} |",
            setting.key,
            setting.flag(),
            setting.variable(),
            setting.help
        );
        assert!(page.contains(&row), "docs/reference/config.md lacks the row\n{row}");
    }
}

#[test]
fn the_page_of_issuers_says_what_the_reference_says() {
    let page = include_str!("../../../../docs/reference/issuers.md");
    let settings = reference::issuer_settings();
    assert_eq!(settings.len(), reference::take_issuer(&mut reference::table()).len());
    for setting in settings {
        let default = setting.some_default().map_or("none".to_owned(), |default| format!("`{default}`"));
        let row = format!("| `{}` | {default} | {} |", setting.key, setting.help);
        assert!(page.contains(&row), "docs/reference/issuers.md lacks the row\n{row}");
    }
}

#[test]
fn issuers_are_laid_over_the_reference_for_one() {
    let text = r#"
        [[oauth.issuers]]
        url = "https://login.example.com/realm"
        org = "org_1"
        roles = { admins = "admin" }
        [[oauth.issuers]]
        url = "http://127.0.0.1:9000"
        allow_private_address = true
        machine_role = "user"
    "#;
    let config = with_file(text, vec![]).unwrap().oauth;
    let [first, second] = &config.issuers[..] else { panic!("{config:?}") };
    assert!(!config.is_embedded, "another issuer turns the embedded one off");
    assert_eq!(first.expected.leeway, Duration::from_secs(30));
    assert_eq!(first.rules.roles["admins"], tidegauge_model::Role::Admin);
    assert!(first.provision.is_none() && first.rules.machine_role.is_none() && first.expected.require_type);
    assert_eq!(second.rules.machine_role, Some(tidegauge_model::Role::User));
    assert!(load(&SettingArguments::default()).unwrap().oauth.is_embedded);
}

#[test]
fn a_wrong_issuer_is_told_by_its_key() {
    let issuer = |lines: &str| {
        let url = if lines.contains("url =") { "" } else { "url = \"https://login.example.com\"\n" };
        with_file(&format!("[[oauth.issuers]]\n{url}{lines}"), vec![]).unwrap_err().to_string()
    };
    for (lines, expected) in [
        ("url = \"\"", "oauth.issuers.url"),
        ("url = \"http://login.example.com\"", "must begin with https://"),
        ("url = \"http://127.0.0.1:9000\"", "allow_private_address"),
        ("url = \"http://10.0.0.1\"\nallow_private_address = true", "must begin with https://"),
        ("url = \"https://a@login.example.com\"", "no user, query or fragment"),
        ("algorithms = []", "must name at least one"),
        ("algorithms = [\"HS256\"]", "\"HS256\" is not among RS256"),
        ("algorithms = [\"none\"]", "\"none\" is not among RS256"),
        ("leeway_seconds = 61", "must be at most 60"),
        ("token = \"paseto\"", "neither jwt nor introspection"),
        ("token = \"introspection\"", "introspection_client: must be set"),
        ("dpop = \"maybe\"", "none of off, allowed and required"),
        ("login_target = \"scope\"", "none of resource, audience and none"),
        ("login_client = \"\"", "login_client: must name a client"),
        ("roles = { a = \"king\" }", "\"king\" is not among owner"),
        ("machine_role = \"king\"", "oauth.issuers.machine_role"),
        ("org = \"org_1\"\norg_claim = \"org\"", "must be empty when org is set"),
        ("issuer = \"x\"", "[[oauth.issuers]] has no setting issuer"),
        ("leeway_seconds = \"1\"", "leeway_seconds must be a integer, not a string"),
    ] {
        let message = issuer(lines);
        assert!(message.contains(expected), "{lines}: {message}");
    }
    let twice = "[[oauth.issuers]]\nurl = \"https://a.example\"\n".repeat(2);
    assert!(with_file(&twice, vec![]).unwrap_err().to_string().contains("is there twice"));
    let issuers = |count: usize| -> String {
        (0..count).map(|number| format!("[[oauth.issuers]]\nurl = \"https://{number}.example\"\n")).collect()
    };
    assert_eq!(with_file(&issuers(16), vec![]).unwrap().oauth.issuers.len(), 16);
    assert!(with_file(&issuers(17), vec![]).unwrap_err().to_string().contains("at most 16"));
    let no_list = with_file("[oauth]\nissuers = \"https://a.example\"", vec![]).unwrap_err().to_string();
    assert!(no_list.contains("must be a list of tables"), "{no_list}");
    let template = with_file("[oauth.issuer]\nurl = \"https://a.example\"", vec![]).unwrap_err().to_string();
    assert!(template.contains("[oauth] has no setting issuer"), "{template}");
}
