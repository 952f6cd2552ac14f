//! Schemas of the API document that follow from the tables of `model`: channels, capabilities, and the words that a
//! field can hold. They are made from those tables, so the document cannot say something else than the checks do.

use std::borrow::Cow;

use tidegauge_model::dashboard::ChartKind;
use tidegauge_model::monitor::{MonitorKind, Operator};
use tidegauge_model::notifier::{CHANNELS, Channel, FieldKind};
use tidegauge_model::{Action, DatasetArea, OrgArea, PaymentStatus, Plan, Role, RoleId, ViewArea};
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Object, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// Declares a name in the document for a schema that a function makes.
macro_rules! schema {
    ($(#[$doc:meta])* $name:ident, $make:expr) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                Schema::Object($make).into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    };
}

schema!(
    /// The properties of a notifier in a request.
    NotifierProperties,
    notifier_properties()
);
schema!(
    /// Actions by area of the organisation.
    OrgCapabilities,
    areas(OrgArea::ALL, OrgArea::name, OrgArea::actions)
);
schema!(
    /// By dataset name: actions by area.
    DatasetCapabilities,
    by_name(areas(DatasetArea::ALL, DatasetArea::name, DatasetArea::actions))
);
schema!(
    /// By view name: actions by area.
    ViewCapabilities,
    by_name(areas(ViewArea::ALL, ViewArea::name, ViewArea::actions))
);
schema!(
    /// What an organisation has subscribed to.
    PlanName,
    one_of(Plan::names())
);
schema!(
    /// How an organisation stands with its payments.
    PaymentStatusName,
    one_of(PaymentStatus::names())
);
schema!(
    /// The role of a person: a built-in one, or the id of a custom one.
    RoleName,
    text().pattern(Some(role_pattern())).build()
);
schema!(
    /// What the caller is in an organisation; `custom` for a custom role and for an API token.
    OwnRoleName,
    one_of(Role::ids().into_iter().chain(["custom"]).collect())
);
schema!(
    /// How the answer of a monitor's query is judged.
    MonitorKindName,
    one_of(MonitorKind::names())
);
schema!(
    /// Which side of a threshold, or of what was expected, is a reason to tell.
    MonitorOperatorName,
    one_of(Operator::names())
);
schema!(
    /// What a chart of a dashboard is.
    ChartTypeName,
    one_of(ChartKind::names())
);
schema!(
    /// The one kind of starred query.
    StarredKind,
    one_of(vec![tidegauge_app::service::starred::KIND])
);

fn one_of(words: Vec<&'static str>) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).build()
}

fn role_pattern() -> String {
    format!("^({}|{}[0-9a-f]{{32}})$", Role::ids().join("|"), RoleId::PREFIX)
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn notifier_properties() -> Object {
    CHANNELS
        .iter()
        .fold(ObjectBuilder::new(), |object, channel| {
            let key = channel.canonical_key();
            object.property(key, channel_schema(key, channel))
        })
    .min_properties(Some(1))
    .max_properties(Some(1))
    .description(Some(
        "Exactly one channel. Keys and fields by which clients of the public service know a channel are read as \
             well; every answer repeats the properties as they came in.",
    ))
    .build()
}

/// The fields of a channel, in the spelling that goes with the key.
fn channel_schema(key: &str, channel: &Channel) -> Object {
    channel
        .fields
        .iter()
        .fold(ObjectBuilder::new(), |object, field| {
            let name = channel.spelling(key, field);
            let object = object.property(name, field_schema(field.kind));
            if field.required { object.required(name) } else { object }
        })
        .build()
}

fn field_schema(kind: FieldKind) -> Schema {
    match kind {
        FieldKind::Text => text().min_length(Some(1)).build().into(),
        FieldKind::Url => text()
            .format(Some(SchemaFormat::Custom("uri".to_owned())))
            .pattern(Some("^https?://[A-Za-z0-9]"))
            .examples(["https://example.com/hook"])
            .build()
            .into(),
        FieldKind::Emails => {
            let address = text().format(Some(SchemaFormat::Custom("email".to_owned()))).build();
            ArrayBuilder::new().items(address).min_items(Some(1)).max_items(Some(100)).build().into()
        }
        FieldKind::Word(words) => one_of(words.to_vec()).into(),
        FieldKind::Flag => ObjectBuilder::new().schema_type(Type::Boolean).build().into(),
        FieldKind::Headers => ObjectBuilder::new()
            .additional_properties(Some(text()))
            .property_names(Some(text().pattern(Some("^[A-Za-z0-9-]+$")).build()))
            .build()
            .into(),
    }
}

/// An object with a list of actions for each area; null is an empty list.
fn areas<Area: Copy>(
    all: &[Area],
    name: fn(Area) -> &'static str,
    actions: fn(Area) -> &'static [Action],
) -> Object {
    all.iter()
        .fold(ObjectBuilder::new(), |object, &area| {
            let words = actions(area).iter().map(|action| action.name()).collect();
            let list = ArrayBuilder::new()
                .schema_type(SchemaType::from_iter([Type::Array, Type::Null]))
                .items(one_of(words))
                .build();
            object.property(name(area), list)
        })
        .additional_properties(Some(AdditionalProperties::FreeForm(false)))
        .build()
}

fn by_name(grants: Object) -> Object {
    ObjectBuilder::new()
        .additional_properties(Some(Schema::Object(grants)))
        .description(Some("By name, or * for all."))
        .build()
}
