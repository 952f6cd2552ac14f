//! The channels: what a notifier says about where its messages go, checked when it is saved, and for each kind of
//! receiver a file that writes a message in the form that the receiver documents. Nothing here sends anything.

mod alertmanager;
mod chat_a;
mod chat_a_webhook;
mod chat_b;
mod chat_c;
mod check;
mod configured;
mod custom_webhook;
mod email;
mod incident_a;
mod incident_b;
mod outbound;
mod webhook;

use tidegauge_model::message::Message;

pub use configured::Configured;
pub use outbound::{Bases, Context, Mail, Outbound, Request, Unwritable};

impl Configured {
    /// Writes a message in the form of the receiver.
    pub fn write(&self, message: &Message, context: &Context<'_>) -> Result<Outbound, Unwritable> {
        Ok(Outbound::Http(match self.channel.canonical_key() {
            "chatA" => chat_a::write(self, message, context)?,
            "chatAWebhook" => chat_a_webhook::write(self, message, context),
            "chatB" => chat_b::write(self, message, context),
            "chatC" => chat_c::write(self, message, context),
            "incidentA" => incident_a::write(self, message, context)?,
            "incidentB" => incident_b::write(self, message, context),
            "webhook" => webhook::write(self, message, context),
            "customWebhook" => custom_webhook::write(self, message, context)?,
            "email" => return Ok(Outbound::Mail(email::write(self, message, context))),
            other => return Err(Unwritable(format!("messages cannot be sent by {other} yet"))),
        }))
    }
}
