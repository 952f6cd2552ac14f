//! Which organisation is meant by what a user writes: its id, or its name.

use anyhow::bail;
use reqwest::Method;
use serde_json::Value;

use super::bearer::Bearer;
use super::oauth::http::printable;
use super::resources::Resources;

/// What every id begins with. It is sent as it is, so that naming an id costs no request.
const ID_PREFIX: &str = "org_";

/// The id of the organisation of this name or id.
pub async fn id_of(server: &str, bearer: &Bearer, wanted: &str) -> anyhow::Result<String> {
    if wanted.starts_with(ID_PREFIX) {
        return Ok(wanted.to_owned());
    }
    let resources = Resources::new(server, bearer.clone(), None)?;
    let orgs = resources.call(Method::GET, &["v2", "orgs"], None).await?;
    choose(orgs.as_array().map_or(&[][..], Vec::as_slice), wanted)
}

fn choose(orgs: &[Value], wanted: &str) -> anyhow::Result<String> {
    let text = |org: &Value, key: &str| printable(org[key].as_str().unwrap_or_default());
    let all: Vec<(String, String)> = orgs.iter().map(|org| (text(org, "id"), text(org, "name"))).collect();
    let exact: Vec<_> = all.iter().filter(|(_, name)| name == wanted).collect();
    let lower = wanted.to_lowercase();
    let similar: Vec<_> = all.iter().filter(|(_, name)| name.to_lowercase() == lower).collect();
    let found = if exact.is_empty() { similar } else { exact };
    let list = |some: &[&(String, String)]| {
        let lines: Vec<String> = some.iter().map(|(id, name)| format!("\n  {id}  {name}")).collect();
        lines.concat()
    };
    match found[..] {
        [(id, _)] => Ok(id.clone()),
        [] => bail!(
            "you are in no organisation {:?}; yours are:{}",
            printable(wanted),
            list(&all.iter().collect::<Vec<_>>())
        ),
        _ => bail!("several organisations are called {:?}: name one by its id:{}", wanted, list(&found)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_organisation_is_found_by_its_name() {
        let org = |id: &str, name: &str| json!({"id": id, "name": name});
        let orgs = [org("org_1", "Tide"), org("org_2", "tide"), org("org_3", "Second"), org("org_4", "Two")];
        assert_eq!(choose(&orgs, "tide").unwrap(), "org_2");
        assert_eq!(choose(&orgs, "SECOND").unwrap(), "org_3");
        let unknown = choose(&orgs, "third").unwrap_err().to_string();
        assert!(
            unknown.contains("no organisation \"third\"") && unknown.contains("org_3  Second"),
            "{unknown}"
        );
        let several = choose(&orgs, "TIDE").unwrap_err().to_string();
        assert!(
            several.contains("org_1") && several.contains("org_2") && !several.contains("org_3"),
            "{several}"
        );
    }
}
