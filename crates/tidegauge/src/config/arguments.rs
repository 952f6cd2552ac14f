//! The settings as command-line arguments: one flag and one environment variable for each setting of the
//! reference, made from it, so that a new setting needs no code here.

use std::fmt;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use tidegauge_cli::arguments::path_or_nothing;

use super::error::Error;
use super::reference;

const FILE: &str = "config";

/// What was given by flags and environment.
#[derive(Clone, Debug, Default)]
pub struct SettingArguments {
    pub file: Option<PathBuf>,
    pub given: Vec<Given>,
}

/// One setting that was given, and where.
#[derive(Clone)]
pub struct Given {
    pub key: String,
    pub text: String,
    /// The flag or the environment variable, for messages.
    pub place: String,
    pub is_flag: bool,
}

impl SettingArguments {
    /// Whether a flag gave what an error is about.
    pub fn is_by_flag(&self, error: &Error) -> bool {
        let is_it = |given: &Given| match error {
            Error::Setting { key, .. } => given.key == *key,
            Error::Layer { place, .. } => given.place == *place,
        };
        self.given.iter().any(|given| given.is_flag && is_it(given))
    }
}

impl fmt::Debug for Given {
    /// Without the value, which may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", self.key, self.place)
    }
}

impl Args for SettingArguments {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new(FILE)
            .long(FILE)
            .env("TIDEGAUGE_CONFIG")
            .value_name("FILE")
            .value_parser(path_or_nothing())
            .help("TOML file with settings, as in config/reference.toml");
        reference::settings().into_iter().fold(command.arg(file), |command, setting| {
            let default = setting.some_default().map(|default| default.trim_matches('"'));
            let default = default.map(|default| format!(" [default: {default}]")).unwrap_or_default();
            let argument = Arg::new(setting.key)
                .long(setting.flag())
                .env(setting.variable())
                .hide_env_values(true)
                .value_name("VALUE")
                .help(format!("{}{default}", setting.help));
            command.arg(argument)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let file = matches.get_one::<PathBuf>(FILE).filter(|file| !file.as_os_str().is_empty());
        let mut arguments = Self { file: file.cloned(), given: Vec::new() };
        for setting in reference::settings() {
            let Some(text) = matches.get_one::<String>(setting.key) else {
                continue;
            };
            let is_flag = matches.value_source(setting.key) != Some(ValueSource::EnvVariable);
            let place = match is_flag {
                true => format!("flag --{}", setting.flag()),
                false => format!("environment variable {}", setting.variable()),
            };
            arguments.given.push(Given { key: setting.key.to_owned(), text: text.clone(), place, is_flag });
        }
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
