//! Location of a command's model, and arguments that do not apply there.

use super::server_args::ServerArgs;
use super::setup::ModelArgs;

/// Location of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On this machine.
    Here,
    #[cfg_attr(not(feature = "server"), allow(dead_code))]
    Server,
}

impl Place {
    /// Returns the location of the model of this name.
    pub fn from_name(name: &str) -> anyhow::Result<Place> {
        match name.starts_with("openai:") {
            false => Ok(Place::Here),
            #[cfg(feature = "server")]
            true => Ok(Place::Server),
            #[cfg(not(feature = "server"))]
            true => anyhow::bail!("this build has no server support; build with `--features server`"),
        }
    }
}

/// Refuses a server for a command that computes with local weights.
pub fn check_local(name: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        Place::from_name(name)? == Place::Here,
        "{name} is on a server, but this command needs local weights: servers give replies and log-probabilities, but no \
         attention rows or timings; `run`, `plan`, `logprob`, `probe` and `models inspect` support servers"
    );
    Ok(())
}

/// Refuses arguments for local work (name, whether it is given, and why not) if a server answers.
pub fn check_with_server(arguments: &[(&str, bool, &str)]) -> anyhow::Result<()> {
    match arguments.iter().find(|(_, given, _)| *given) {
        Some((name, _, why)) => anyhow::bail!("{name} cannot be used with a server: {why}; leave it out"),
        None => Ok(()),
    }
}

impl ModelArgs {
    /// Checks the arguments of a model here or on a server, and returns its location.
    pub fn check(&self, server: &ServerArgs) -> anyhow::Result<Place> {
        let several = self.models.len();
        anyhow::ensure!(several < 2, "--model is given {several} times; only `run` and `plan` take several models");
        let place = Place::from_name(self.name())?;
        match place {
            Place::Here => server.check_without_server()?,
            Place::Server => {
                anyhow::ensure!(
                    self.adapters.is_empty(),
                    "--adapter changes local weights, which a server does not use"
                );
                let compute = &self.compute;
                check_with_server(&[
                    ("--device", compute.device.is_some(), "a server computes on its own devices"),
                    ("--dtype", compute.dtype.is_some(), "a server computes in its own arithmetic"),
                    ("--quantize", compute.quantize.is_some(), "a server computes in its own arithmetic"),
                    ("--memory", compute.memory.is_some(), "the server sets its own"),
                    ("--experts", compute.experts.is_some(), "a server places its experts itself"),
                ])?;
            }
        }
        Ok(place)
    }

    /// Like [`check`](Self::check), for a command that takes a single adapter and device.
    pub fn check_one(&self, command: &str, server: &ServerArgs) -> anyhow::Result<Place> {
        let place = self.check(server)?;
        let several = self.adapters.len();
        anyhow::ensure!(
            several < 2,
            "--adapter is given {several} times, but `{command}` takes one; name one (only `run` and `plan` take \
             several)"
        );
        self.compute.check_device()?;
        Ok(place)
    }

    /// Checks the arguments of a command that computes with one model.
    pub fn check_local(&self, command: &str) -> anyhow::Result<()> {
        check_local(self.name())?;
        self.check_one(command, &ServerArgs::default()).map(drop)
    }
}
