//! Which views monitors read, and have read, that read a dataset themselves: what they found is lost with the dataset.
//! What a text reads is found out in `view_reads`.

use tidegauge_model::OrgId;

use super::Result;
use super::view_reads::Reads;
use crate::app::App;

/// The views that monitors of an organisation read, or have read, and that read a dataset themselves.
pub(super) async fn reading(app: &App, org: &OrgId, dataset: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for name in app.catalog.monitored_views(org).await? {
        let Some(view) = app.catalog.view_by_name(org, &name).await? else { continue };
        let dataset = dataset.to_owned();
        if app.background.compute(move || reads(&view.apl, &dataset)).await {
            found.push(name);
        }
    }
    Ok(found)
}

/// Whether a query reads a dataset. One that is not understood any more may have.
fn reads(text: &str, dataset: &str) -> bool {
    Reads::of_text(text).is_none_or(|reads| reads.may_be_of(dataset))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_query_reads_what_it_names_and_what_its_patterns_fit() {
        for (text, expected) in [
            ("['web'] | count", true),
            ("let a = web; a | where x in ((api | project x))", true),
            ("union we*", true),
            ("union *", true),
            ("declare query_parameters (name:string); table(name)", true),
            ("web | wher", true),
            ("['api'] | where web == 1", false),
            ("union ap*", false),
            ("print x = 'web'", false),
        ] {
            assert_eq!(super::reads(text, "web"), expected, "{text}");
        }
    }
}
