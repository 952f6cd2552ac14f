//! customWebhook: a body of the notifier's own template, with its headers, signed as the other webhook is.

use tidegauge_model::message::Message;

use super::{Configured, Context, Request, Unwritable};
use crate::signature;
use crate::template::Template;

pub(super) fn write(
    configured: &Configured,
    message: &Message,
    context: &Context<'_>,
) -> Result<Request, Unwritable> {
    let template = Template::parse(configured.text("body"))
        .map_err(|mistake| Unwritable(format!("the template of the body is wrong: {mistake}")))?;
    let body = template
        .render(message)
        .ok_or_else(|| Unwritable("the body that the template writes is too large".to_owned()))?;
    let mut headers = configured.pairs("headers");
    headers.extend(configured.pairs("secretHeaders"));
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    headers.extend(signature::headers(context.secret, context.id, context.now, &body));
    Ok(Request { url: configured.text("url").to_owned(), headers, body })
}
