//! The embedded authorisation server over HTTP: the flows, and each way to attack them.

mod attacks;
mod clients;
mod codes;
mod devices;
mod flow;
mod keys;
mod proofs;
mod tokens;

use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("oauth_code_and_refresh", |app| Box::pin(codes::code_and_refresh(app))),
    ("oauth_consent_is_asked_and_remembered", |app| Box::pin(codes::consent(app))),
    ("oauth_prompts_are_heeded", |app| Box::pin(codes::prompts(app))),
    ("oauth_a_request_in_a_form_is_sent_on", |app| Box::pin(codes::by_form(app))),
    ("oauth_metadata_tells_the_truth", |app| Box::pin(clients::metadata(app))),
    ("oauth_clients_are_kept_by_their_org", |app| Box::pin(clients::kept(app))),
    ("oauth_clients_hold_no_more_than_their_maker", |app| Box::pin(clients::no_escalation(app))),
    ("oauth_secrets_are_succeeded", |app| Box::pin(clients::secrets(app))),
    ("oauth_registration_is_off_and_can_be_on", |app| Box::pin(clients::registration(app))),
    ("oauth_is_off_with_another_issuer", |app| Box::pin(clients::off(app))),
    ("oauth_client_credentials", |app| Box::pin(tokens::credentials(app))),
    ("oauth_machines_make_nothing_that_outlasts_their_token", |app| Box::pin(tokens::lasting(app))),
    ("oauth_invitations_last_as_long_as_their_grant", |app| Box::pin(tokens::inviting(app))),
    ("oauth_revocation_ends_the_grant", |app| Box::pin(tokens::revocation(app))),
    ("oauth_introspection_is_for_the_own_org", |app| Box::pin(tokens::introspection(app))),
    ("oauth_grants_are_ended_by_their_person", |app| Box::pin(tokens::grants(app))),
    ("oauth_grants_end_with_the_password", |app| Box::pin(tokens::passwords(app))),
    ("oauth_scopes_and_rights_are_intersected", |app| Box::pin(tokens::rights(app))),
    ("oauth_device_flow", |app| Box::pin(devices::flow(app))),
    ("oauth_device_page_names_the_organisation_of_its_client", |app| {
        Box::pin(devices::named_by_its_org(app))
    }),
    ("oauth_device_codes_cannot_be_guessed", |app| Box::pin(devices::guessing(app))),
    ("oauth_keys_rotate_with_overlap", |app| Box::pin(keys::rotation(app))),
    ("oauth_keys_can_be_replaced_at_once", |app| Box::pin(keys::at_once(app))),
    ("oauth_rows_are_forgotten", |app| Box::pin(keys::forgotten(app))),
    ("oauth_proofs_are_remembered_with_their_tokens", |app| Box::pin(proofs::remembered(app))),
    ("oauth_proofs_hold_nonces_where_they_must", |app| Box::pin(proofs::nonces(app))),
    ("oauth_proofs_bind_tokens", |app| Box::pin(proofs::binding(app))),
    ("attack_replayed_code", |app| Box::pin(attacks::replayed_code(app))),
    ("attack_replayed_refresh_token", |app| Box::pin(attacks::replayed_refresh(app))),
    ("attack_pkce_downgrade", |app| Box::pin(attacks::pkce_downgrade(app))),
    ("attack_redirect_tricks", |app| Box::pin(attacks::redirects(app))),
    ("attack_open_redirect", |app| Box::pin(attacks::open_redirect(app))),
    ("attack_csrf_on_consent", |app| Box::pin(attacks::csrf(app))),
    ("attack_code_of_another_client", |app| Box::pin(attacks::mix_up(app))),
    ("attack_duplicate_parameters", |app| Box::pin(attacks::duplicates(app))),
    ("attack_token_of_another_org", |app| Box::pin(attacks::other_org(app))),
    ("attack_scope_escalation_at_refresh", |app| Box::pin(attacks::scope_escalation(app))),
    ("attack_guessed_client_secret", |app| Box::pin(attacks::guessed_secret(app))),
    ("attack_approval_before_a_new_password", |app| Box::pin(devices::password_change(app))),
    ("attack_moved_redirect", |app| Box::pin(attacks::moved_redirect(app))),
    ("attack_many_parameters", |app| Box::pin(attacks::many_parameters(app))),
    ("attack_other_tokens_as_access_token", |app| Box::pin(attacks::token_confusion(app))),
];
