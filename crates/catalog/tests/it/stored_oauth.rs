//! What the sample rows of version 5 must mean that the embedded authorisation server keeps.

use std::collections::BTreeMap;
use std::time::Duration;

use tidegauge_catalog::Catalog;
use tidegauge_catalog::oauth::{
    AuthorizationCode, ClientSecrets, DeviceRequest, DeviceStatus, Grant, OAuthClient, Polled, RefreshToken,
    SigningKey,
};
use tidegauge_model::capability::Grants;
use tidegauge_model::oauth::GrantType;
use tidegauge_model::{Action, Capabilities, DatasetArea, OrgId, Timestamp, UserId};

use crate::stored_sign_in::{ADA, ORG, micros, sha256};

const SHIPPER: &str = "client_018bcfe5680070008000000000000161";
const CHARTS: &str = "client_018bcfe5680070008000000000000162";
const COMMAND_LINE: &str = "tidegauge-cli";
const BY_CODE: &str = "grant_018bcfe5680070008000000000000171";
const BY_MACHINE: &str = "grant_018bcfe5680070008000000000000172";
const BY_DEVICE: &str = "grant_018bcfe5680070008000000000000173";
const NOT_YET: &str = "grant_018bcfe5680070008000000000000174";
const THUMBPRINT: &str = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I";

/// Checks all that the server keeps.
pub(crate) async fn check_server(catalog: &Catalog) {
    assert_eq!(catalog.list_signing_keys().await.unwrap(), [first_key(), second_key()]);
    check_clients(catalog).await;
    check_grants(catalog).await;
    check_codes(catalog).await;
    check_devices(catalog).await;
    let ada: UserId = ADA.into();
    let allowed = catalog.find_consent(&ada, &CHARTS.into()).await.unwrap();
    assert_eq!(allowed.as_deref(), Some("datasets|read query|read"));
    assert_eq!(catalog.find_consent(&ada, &COMMAND_LINE.into()).await.unwrap(), None);
}

async fn check_clients(catalog: &Catalog) {
    let org: OrgId = ORG.into();
    assert_eq!(catalog.list_oauth_clients(&org).await.unwrap(), [shipper()]);
    let secrets = ClientSecrets {
        digest: Some(sha256("secret")),
        former: Some((sha256("former secret"), Timestamp::from_micros(1_700_086_400_000_081))),
    };
    assert_eq!(catalog.find_oauth_client(&SHIPPER.into()).await.unwrap(), Some((shipper(), secrets)));
    let registered = Some((charts(), ClientSecrets::default()));
    assert_eq!(catalog.find_oauth_client(&CHARTS.into()).await.unwrap(), registered);
}

async fn check_grants(catalog: &Catalog) {
    for grant in [by_code(), by_machine(), by_device()] {
        assert_eq!(catalog.find_oauth_grant(&grant.id).await.unwrap().as_ref(), Some(&grant));
    }
    assert_eq!(catalog.find_oauth_grant(&NOT_YET.into()).await.unwrap(), None);
    assert_eq!(catalog.list_oauth_grants(&ADA.into(), micros(99)).await.unwrap(), [by_code()]);
    for (name, used, expires) in [
        ("refresh one", Some(micros(85)), 1_702_592_000_000_084),
        ("refresh two", None, 1_702_592_000_000_085),
    ] {
        let expires = Timestamp::from_micros(expires);
        let token = RefreshToken { digest: sha256(name), grant: BY_CODE.into(), expires, used };
        let found = catalog.find_refresh_token(&token.digest).await.unwrap();
        assert_eq!(found, Some((token, by_code())), "{name}");
    }

    let person = catalog.find_grant_bearer(&BY_CODE.into(), None).await.unwrap().unwrap();
    assert_eq!((person.is_api_token, person.user.as_str()), (false, ADA));
    let machine = catalog.find_grant_bearer(&BY_MACHINE.into(), None).await.unwrap().unwrap();
    assert_eq!((machine.is_api_token, machine.org_contexts[0].org.as_str()), (true, ORG));
    assert_eq!(machine.capabilities, shipper().capabilities);
    assert!(catalog.find_grant_bearer(&BY_DEVICE.into(), None).await.unwrap().is_none(), "it is revoked");
}

async fn check_codes(catalog: &Catalog) {
    assert_eq!(catalog.find_code(&sha256("code one")).await.unwrap(), Some(used_code()));
    assert_eq!(catalog.find_code(&sha256("code two")).await.unwrap(), Some(open_code()));
}

async fn check_devices(catalog: &Catalog) {
    let devices = [
        ("waiting", waiting_device()),
        ("allowed", decided_device(DeviceStatus::Allowed)),
        ("denied", decided_device(DeviceStatus::Denied)),
        ("used", decided_device(DeviceStatus::Used)),
    ];
    let end = waiting_device().expires;
    assert_eq!(catalog.count_device_requests(end.minus(Duration::from_micros(1))).await.unwrap(), 4);
    for (name, request) in devices {
        let found = catalog.find_device_request(&sha256(&format!("user {name}"))).await.unwrap();
        assert_eq!(found.as_ref(), Some(&request), "{name}");
        let polled = catalog.poll_device_request(&sha256(&format!("device {name}")), end).await.unwrap();
        assert_eq!(polled, Polled::Found(request), "{name}");
    }
}

fn first_key() -> SigningKey {
    SigningKey {
        number: 1,
        kid: "VCb6Y1ViOWu95mBNVgDlhQPDQwHUX3Ly6kkwl7kMhbw".to_owned(),
        public: r#"{"alg":"ES256","kty":"EC","crv":"P-256","x":"EHg3mNbMM7Ps5mfsmp2zPn4-ngvCaJR1k15-gFDfnz4","y":"VXBlWrSZRfUwISjFt-cPs1rxGpXWvksgecRx9dp2AQI","kid":"VCb6Y1ViOWu95mBNVgDlhQPDQwHUX3Ly6kkwl7kMhbw","use":"sig"}"#
            .to_owned(),
        private: "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4DHQYmfsoFlEtngvqnu8eSZyJveK__tJFT_LltzFicmh\
            RANCAAQQeDeY1swzs-zmZ-yanbM-fj6eC8JolHWTXn6AUN-fPlVwZVq0mUX1MCEoxbfnD7Na8RqV1r5LIHnEcfXadgEC"
            .to_owned(),
        created: micros(76),
        begins: micros(76),
        retires: Some(Timestamp::from_micros(1_700_090_600_000_077)),
    }
}

fn second_key() -> SigningKey {
    SigningKey {
        number: 2,
        kid: "kidxuDsLzwxm3ZiqgvO95XMycduxBCX5EzcIjd8ES2Y".to_owned(),
        public: r#"{"alg":"ES256","kty":"EC","crv":"P-256","x":"rJPnsXr2mREn38cMyzawkCKYNWCECeYTSt4aHUriba4","y":"iRoK_rERhuT1dZAEk19FnSkg5cQfSEE2-YIHqssjF78","kid":"kidxuDsLzwxm3ZiqgvO95XMycduxBCX5EzcIjd8ES2Y","use":"sig"}"#
            .to_owned(),
        private: "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbNI3xxy7ydjLZXJQ_SCmyHi3LGI8aCcM2Upam_T9rryh\
            RANCAASsk-exevaZESffxwzLNrCQIpg1YIQJ5hNK3hodSuJtrokaCv6xEYbk9XWQBJNfRZ0pIOXEH0hBNvmCB6rLIxe_"
            .to_owned(),
        created: micros(77),
        begins: Timestamp::from_micros(1_700_086_400_000_077),
        retires: None,
    }
}

/// A machine of the organisation, which can keep a secret.
fn shipper() -> OAuthClient {
    let ingest = Grants::from([(DatasetArea::Ingest, vec![Action::Create])]);
    OAuthClient {
        id: SHIPPER.into(),
        org: Some(ORG.into()),
        name: "Shipper".to_owned(),
        redirect_uris: Vec::new(),
        grants: vec![GrantType::ClientCredentials],
        is_public: false,
        capabilities: Capabilities {
            dataset: BTreeMap::from([("tide.levels".to_owned(), ingest)]),
            ..Capabilities::default()
        },
        created: micros(80),
        created_by: ADA.to_owned(),
        modified: micros(81),
    }
}

/// It registered itself and has no secret.
fn charts() -> OAuthClient {
    OAuthClient {
        id: CHARTS.into(),
        org: None,
        name: "Tide charts".to_owned(),
        redirect_uris: vec!["http://127.0.0.1/back".to_owned(), "example.charts:/back".to_owned()],
        grants: vec![GrantType::AuthorizationCode, GrantType::RefreshToken, GrantType::DeviceCode],
        is_public: true,
        capabilities: Capabilities::default(),
        created: micros(82),
        created_by: "registered itself".to_owned(),
        modified: micros(82),
    }
}

fn by_code() -> Grant {
    Grant {
        id: BY_CODE.into(),
        client: CHARTS.into(),
        person: Some(ADA.into()),
        org: None,
        scope: "datasets|read query|read".to_owned(),
        auth_time: Some(micros(70)),
        thumbprint: Some(THUMBPRINT.to_owned()),
        created: micros(84),
        last_used: micros(85),
        ends: Timestamp::from_micros(1_707_776_000_000_084),
        revoked: None,
    }
}

fn by_machine() -> Grant {
    Grant {
        id: BY_MACHINE.into(),
        client: SHIPPER.into(),
        person: None,
        org: Some(ORG.into()),
        scope: "*".to_owned(),
        auth_time: None,
        thumbprint: None,
        created: micros(86),
        last_used: micros(86),
        ends: Timestamp::from_micros(1_700_000_600_000_086),
        revoked: None,
    }
}

fn by_device() -> Grant {
    Grant {
        id: BY_DEVICE.into(),
        client: COMMAND_LINE.into(),
        scope: "*".to_owned(),
        auth_time: Some(micros(72)),
        thumbprint: None,
        created: micros(92),
        last_used: micros(92),
        ends: Timestamp::from_micros(1_707_776_000_000_092),
        revoked: Some(micros(93)),
        ..by_code()
    }
}

/// Redeemed.
fn used_code() -> AuthorizationCode {
    AuthorizationCode {
        grant: BY_CODE.into(),
        client: CHARTS.into(),
        person: ADA.into(),
        redirect_uri: "http://127.0.0.1:49152/back".to_owned(),
        challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM".to_owned(),
        scope: "datasets|read query|read".to_owned(),
        auth_time: micros(70),
        thumbprint: Some(THUMBPRINT.to_owned()),
        expires: Timestamp::from_micros(1_700_000_060_000_083),
        used: Some(micros(84)),
    }
}

/// Not redeemed yet.
fn open_code() -> AuthorizationCode {
    AuthorizationCode {
        grant: NOT_YET.into(),
        redirect_uri: "example.charts:/back".to_owned(),
        thumbprint: None,
        expires: Timestamp::from_micros(1_700_000_060_000_087),
        used: None,
        ..used_code()
    }
}

fn waiting_device() -> DeviceRequest {
    DeviceRequest {
        client: COMMAND_LINE.into(),
        scope: "*".to_owned(),
        status: DeviceStatus::Waiting,
        person: None,
        auth_time: None,
        expires: Timestamp::from_micros(1_700_000_600_000_088),
        interval_seconds: 5,
        polled: None,
    }
}

/// It asked twice, the second time too soon.
fn decided_device(status: DeviceStatus) -> DeviceRequest {
    DeviceRequest {
        status,
        person: Some(ADA.into()),
        auth_time: Some(micros(72)),
        interval_seconds: 10,
        polled: Some(micros(90)),
        ..waiting_device()
    }
}
