//! chatAWebhook: an incoming webhook of the same service as chatA. It knows no nonce; the id of the message stands at
//! its foot.

use tidegauge_model::message::Message;

use super::{Configured, Context, Request, chat_a};

pub(super) fn write(configured: &Configured, message: &Message, context: &Context<'_>) -> Request {
    Request::json(configured.text("chatAWebhookUrl"), &chat_a::content(message, context))
}
