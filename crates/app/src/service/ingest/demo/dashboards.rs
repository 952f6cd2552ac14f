//! The dashboards that come with the demo events. Their documents lie with the interface, which offers them where the
//! events are there already.

use serde_json::value::RawValue;
use tidegauge_model::{Action, ErrorKind, OrgArea};

use crate::app::App;
use crate::service::dashboards::{self, Basis, DashboardInput};
use crate::service::{Caller, Error, Result};

/// The uid and the document of each.
const ALL: [(&str, &str); 3] = [
    ("demo-services", include_str!("../../../../../../ui/src/screens/dashboards/demo/services.json")),
    ("demo-visitors", include_str!("../../../../../../ui/src/screens/dashboards/demo/visitors.json")),
    ("demo-log", include_str!("../../../../../../ui/src/screens/dashboards/demo/log.json")),
];

/// Makes those that are not there yet, for who may. What somebody made of one stays.
pub(super) async fn make(app: &App, caller: &Caller) -> Result<()> {
    if !caller.capabilities.allows_org(OrgArea::Dashboards, Action::Create) {
        return Ok(());
    }
    for (uid, document) in ALL {
        let document: Box<RawValue> = serde_json::from_str(document.trim()).map_err(unread)?;
        let basis = Basis { version: None, overwrite: false };
        let input = DashboardInput { document, uid: Some(uid.to_owned()), basis, message: None };
        match dashboards::create(app, caller, input).await {
            Err(error) if error.kind != ErrorKind::Conflict => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn unread(source: serde_json::Error) -> Error {
    Error {
        source: Some(Box::new(source)),
        ..Error::new(ErrorKind::Internal, "the dashboards of the demo events could not be made")
    }
}
