//! The settings as command-line arguments: one flag and one environment variable for each setting of the
//! reference, made from it, so that a new setting needs no code here.

use std::fmt;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

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
            .value_parser(clap::value_parser!(PathBuf))
            .help("TOML file with settings, as in config/reference.toml");
        reference::settings().into_iter().fold(command.arg(file), |command, setting| {
            let default = match &setting.default {
                toml::Value::String(text) if text.is_empty() => String::new(),
                toml::Value::String(text) => format!(" [default: {text}]"),
                value => format!(" [default: {value}]"),
            };
            let argument = Arg::new(setting.key.clone())
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
        let mut arguments = Self { file: matches.get_one::<PathBuf>(FILE).cloned(), given: Vec::new() };
        for setting in reference::settings() {
            let Some(text) = matches.get_one::<String>(&setting.key) else {
                continue;
            };
            let place = match matches.value_source(&setting.key) {
                Some(ValueSource::EnvVariable) => format!("environment variable {}", setting.variable()),
                _ => format!("flag --{}", setting.flag()),
            };
            arguments.given.push(Given { key: setting.key, text: text.clone(), place });
        }
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
