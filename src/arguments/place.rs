//! Location of a command's model, and incompatible arguments.

use super::server_args::{Place, ServerArgs};
use super::setup::ModelArgs;

/// Returns the location of the model, after refusing incompatible arguments.
pub fn place(model: &ModelArgs, server: &ServerArgs) -> anyhow::Result<Place> {
    model.refuse_several_models()?;
    let place = Place::from_name(model.name())?;
    match place {
        Place::Here => server.refuse_without_server()?,
        Place::Server => refuse_own_arithmetic(model)?,
    }
    Ok(place)
}

/// Refuses arguments for local computation if a server computes.
fn refuse_own_arithmetic(model: &ModelArgs) -> anyhow::Result<()> {
    anyhow::ensure!(model.adapters.is_empty(), "--adapter changes local weights, which a server does not use");
    let compute = &model.compute;
    let refused = [
        ("--device", compute.device.is_some(), "a server computes on its own devices"),
        ("--dtype", compute.dtype.is_some(), "a server computes in its own arithmetic"),
        ("--quantize", compute.quantize.is_some(), "a server computes in its own arithmetic"),
        ("--memory", compute.memory.is_some(), "the server sets its own"),
        ("--experts", compute.experts.is_some(), "a server places its experts itself"),
    ];
    match refused.iter().find(|(_, given, _)| *given) {
        Some((name, _, why)) => anyhow::bail!("{name} cannot be used with a server: {why}; leave it out"),
        None => Ok(()),
    }
}
