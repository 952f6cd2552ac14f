//! The API document: what all operations have in common is added here, once: security, the capability, the errors
//! that any route can answer with, and the headers of every answer.

use tidegauge_auth::Access;
use tidegauge_web::error::ErrorBody;
use utoipa::PartialSchema;
use utoipa::ToSchema;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, Header, InfoBuilder, License, OpenApi, OpenApiBuilder, Ref, RefOr,
    Response, ResponseBuilder,
};

use super::senders::face::Face;

const BEARER: &str = "bearerAuth";

/// A document without paths.
pub fn empty() -> OpenApi {
    let mut licence = License::new("Apache-2.0");
    licence.identifier = Some("Apache-2.0".to_owned());
    let info = InfoBuilder::new()
        .title("Tidegauge")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .license(Some(licence))
        .build();
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "An access token of OAuth 2.0 from a trusted issuer, an API token (xaat-…) or a personal token (xapt-…).",
        ))
        .build();
    let components = ComponentsBuilder::new()
        .security_scheme(BEARER, SecurityScheme::Http(bearer))
        .schema(ErrorBody::name(), ErrorBody::schema())
        .build();
    OpenApiBuilder::new().info(info).components(Some(components)).build()
}

const DESCRIPTION: &str = "Event-data service. Every request but those under *service* carries \
    `Authorization: Bearer <token>`. Each operation names the capability it needs as `area|action`. A personal token \
    of somebody in several organisations also sends `X-Axiom-Org-Id` (or `X-Tidegauge-Org-Id`). Errors are JSON with \
    `code` and `message`, but those under *senders* are written as their protocols have them. Fields are only ever \
    added within a version of the path.";

/// The document as the bytes that are served.
pub fn render(document: &OpenApi) -> String {
    document.to_json().unwrap_or_default()
}

pub fn add_schemas(document: &mut OpenApi, schemas: Vec<(String, RefOr<Schema>)>) {
    let components = document.components.get_or_insert_default();
    components.schemas.extend(schemas);
}

/// Adds the operations of a path, completed with what they have in common.
pub fn add_path(document: &mut OpenApi, prefix: &str, path: &str, mut item: PathItem, access: Access) {
    tell_apart(&mut item);
    for operation in operations(&mut item) {
        complete(operation, prefix, path, access);
    }
    match document.paths.paths.get_mut(path) {
        Some(present) => present.merge_operations(item),
        None => {
            document.paths.paths.insert(path.to_owned(), item);
        }
    }
}

/// One handler may serve a path by POST and by PUT; that of PUT gets an id of its own.
fn tell_apart(item: &mut PathItem) {
    if let (Some(post), Some(put)) = (&item.post, &mut item.put)
        && post.operation_id == put.operation_id
    {
        put.operation_id = post.operation_id.as_ref().map(|id| format!("{id}_put"));
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let others = [&mut item.delete, &mut item.patch, &mut item.options];
    [&mut item.get, &mut item.put, &mut item.post].into_iter().chain(others).flatten()
}

fn complete(operation: &mut Operation, prefix: &str, path: &str, access: Access) {
    // The same handler serves two versions; their operations need ids of their own.
    let id = operation.operation_id.take().unwrap_or_default();
    let tag = operation.tags.as_ref().and_then(|tags| tags.first()).cloned().unwrap_or_default();
    operation.operation_id = Some(format!("{tag}_{id}{}", prefix.replace('/', "_")));

    let needs = match access {
        Access::Public => "Needs no token.".to_owned(),
        Access::AnyToken => "Needs any valid token.".to_owned(),
        Access::Person => "Needs a personal token.".to_owned(),
        Access::Org(..) => format!("Needs the capability `{}`.", access.scope().unwrap_or_default()),
        Access::Dataset(..) => {
            format!("Needs the capability `{}` on the dataset.", access.scope().unwrap_or_default())
        }
    };
    let described = operation.description.take().map(|text| format!("{text}\n\n{needs}"));
    operation.description = Some(described.unwrap_or(needs));
    operation.security = Some(match access {
        Access::Public => Vec::new(),
        _ => vec![SecurityRequirement::new(BEARER, access.scope())],
    });
    let media = Face::media(path);
    let errors = match media {
        [] => common_errors(operation, access),
        _ => sender_errors(access),
    };
    for (status, meaning) in errors {
        let responses = &mut operation.responses.responses;
        responses.entry(status.to_owned()).or_insert_with(|| match media {
            [] => error_response(meaning).into(),
            _ => sender_response(meaning, media).into(),
        });
    }
    add_headers(operation, access);
}

/// The errors that an operation can answer with because of its access, its parameters and its body.
fn common_errors(operation: &Operation, access: Access) -> Vec<(&'static str, &'static str)> {
    let mut errors = vec![
        ("500", "A fault of the service; report it with the request id."),
        ("503", "The service is overloaded or its database is away; try again."),
        ("504", "The request took too long."),
    ];
    if access != Access::Public {
        errors.push(("400", "The request cannot be read, or no organisation is named where one is needed."));
        errors.push(("401", "No token, or one that is malformed, unknown or expired."));
        errors.push(("403", "The token does not have the capability, or a limit of the licence is reached."));
        errors.push(("429", "More requests than the licence allows; wait until X-RateLimit-Reset."));
    }
    let has = |place: &ParameterIn| {
        let parameters = operation.parameters.iter().flatten();
        parameters
            .filter_map(|parameter| match parameter {
                RefOr::T(parameter) => Some(&parameter.parameter_in),
                RefOr::Ref(_) => None,
            })
            .any(|parameter_in| parameter_in == place)
    };
    if has(&ParameterIn::Path) {
        errors.push(("404", "There is no such thing in the organisation."));
    }
    if has(&ParameterIn::Query) {
        errors.push(("422", "A parameter has a value that is not allowed."));
    }
    if operation.request_body.is_some() {
        errors.push(("413", "The body is too large."));
        errors.push(("415", "The body is not JSON."));
        errors.push(("422", "A field is missing or has a value that is not allowed; the message names it."));
    }
    errors
}

/// The errors of routes of senders, whose protocols have fewer statuses.
fn sender_errors(access: Access) -> Vec<(&'static str, &'static str)> {
    let mut errors = vec![
        ("500", "A fault of the service; report it with the request id."),
        ("503", "There is no room for the events at the moment; send them again."),
    ];
    if access != Access::Public {
        errors.extend([
            ("400", "The request cannot be read, or it names no dataset."),
            ("401", "No token, or one that is malformed, unknown or expired."),
            ("403", "The token may not send to the dataset, or a limit of the licence is reached."),
            ("404", "There is no such dataset, and the token may make none."),
            ("409", "Another request with the same key is under way or had another body."),
            ("413", "The body is too large."),
            ("415", "The body has a media type or an encoding that is not read here."),
            ("429", "More requests than can be taken at the moment; send them again."),
        ]);
    }
    errors
}

/// A refusal in the words of a protocol, which the document of that protocol describes.
fn sender_response(meaning: &str, media: &[&str]) -> Response {
    let described = ResponseBuilder::new().description(meaning);
    let add =
        |response: ResponseBuilder, media: &&str| response.content(*media, ContentBuilder::new().build());
    media.iter().fold(described, add).build()
}

fn error_response(meaning: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(ErrorBody::name()))).build();
    ResponseBuilder::new().description(meaning).content("application/json", content).build()
}

fn add_headers(operation: &mut Operation, access: Access) {
    let text = |description: &str| {
        let mut header = Header::new(ObjectBuilder::new().schema_type(Type::String).build());
        header.description = Some(description.to_owned());
        header
    };
    let number = |description: &str| {
        let mut header = Header::new(ObjectBuilder::new().schema_type(Type::Integer).build());
        header.description = Some(description.to_owned());
        header
    };
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        if response.description.is_empty() {
            response.description = "Success.".to_owned();
        }
        let headers = &mut response.headers;
        headers.insert("X-Request-Id".to_owned(), text("Id of the request.").into());
        headers.insert("X-Axiom-Trace-Id".to_owned(), text("Id of the trace, in hexadecimal.").into());
        headers.insert("X-Tidegauge-Trace-Id".to_owned(), text("Id of the trace, in hexadecimal.").into());
        if access != Access::Public && (status.starts_with('2') || status == "429") {
            let limit = number("Requests per second that the licence allows.");
            headers.insert("X-RateLimit-Limit".to_owned(), limit.into());
            headers.insert(
                "X-RateLimit-Remaining".to_owned(),
                number("Requests that can be sent right now.").into(),
            );
            let reset = number("When that is the limit again, in seconds since 1970.");
            headers.insert("X-RateLimit-Reset".to_owned(), reset.into());
            headers.insert(
                "X-RateLimit-Scope".to_owned(),
                text("What is counted: organization or user.").into(),
            );
        }
    }
}
