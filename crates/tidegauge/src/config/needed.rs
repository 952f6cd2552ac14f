//! The settings as arguments of an operator's command, which needs few of them: those stand in its help. The others
//! are taken all the same, because what is given to `serve` is often given to all commands.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::arguments::SettingArguments;
use super::reference;

/// Which settings a command needs.
pub trait Needs {
    const KEYS: &'static [&'static str];
}

/// The catalogue alone.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue;

/// The catalogue and the segments.
#[derive(Clone, Copy, Debug)]
pub struct Segments;

/// The catalogue, and where people find the service.
#[derive(Clone, Copy, Debug)]
pub struct Address;

impl Needs for Catalogue {
    const KEYS: &'static [&'static str] = &["data", "catalog", "secret_key_file"];
}

impl Needs for Segments {
    const KEYS: &'static [&'static str] =
        &["data", "catalog", "objects", "objects_endpoint", "objects_region", "secret_key_file"];
}

impl Needs for Address {
    const KEYS: &'static [&'static str] = &["public_url", "listen", "data", "catalog", "secret_key_file"];
}

/// All settings, with those in the help that a command needs.
pub struct Needed<N> {
    settings: SettingArguments,
    needs: PhantomData<N>,
}

impl<N> fmt::Debug for Needed<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl<N> Deref for Needed<N> {
    type Target = SettingArguments;

    fn deref(&self) -> &SettingArguments {
        &self.settings
    }
}

impl<N: Needs> Args for Needed<N> {
    fn augment_args(command: Command) -> Command {
        let mut command = SettingArguments::augment_args(command);
        for setting in reference::settings() {
            if !N::KEYS.contains(&setting.key) {
                command = command.mut_arg(setting.key, |argument| argument.hide(true));
            }
        }
        command.after_help(
            "Every other setting of the service is taken too, as a flag, an environment variable or a line of the file: \
             `tidegauge serve --help` lists them.",
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<N: Needs> FromArgMatches for Needed<N> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { settings: SettingArguments::from_arg_matches(matches)?, needs: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.settings.update_from_arg_matches(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<N: Needs>() {
        let all = reference::settings();
        for key in N::KEYS {
            assert!(all.iter().any(|setting| setting.key == *key), "{key} is no setting");
        }
        let mut command = Needed::<N>::augment_args(Command::new("x"));
        let help = command.render_help().to_string();
        assert!(help.lines().count() < 60, "{help}");
        for key in N::KEYS {
            assert!(help.contains(&format!("--{} ", key.replace('_', "-"))), "{key} in {help}");
        }
        assert!(!help.contains("--smtp-host") && help.contains("`tidegauge serve --help`"), "{help}");
        let line = ["x", "--data", "here", "--smtp-host", "mail.example.com"];
        let read = Needed::<N>::from_arg_matches(&command.get_matches_from(line)).unwrap();
        assert!(read.given.iter().any(|given| given.key == "smtp_host"), "{read:?}");
    }

    #[test]
    fn the_help_has_what_is_needed_and_the_rest_is_taken_too() {
        check::<Catalogue>();
        check::<Segments>();
        check::<Address>();
    }
}
