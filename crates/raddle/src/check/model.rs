//! The file of [`super::Check::model_file`]: the Petri-net model of the program, or its unfolding.

use std::path::Path;

use raddle_explore::Strategy;
use raddle_report::{EXPORTED_NODES, ModelPart, beyond, model_file};

use super::Check;

/// What the name of the file asks for: which part of the model, and its format.
fn asked(file: &Path) -> (ModelPart, &str) {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let format = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let prefix = format == "mci" || name.ends_with(".prefix.dot");
    (if prefix { ModelPart::Prefix } else { ModelPart::Net }, format)
}

/// Writes the model that a strategy has built, if that is asked for; what went wrong is a sentence.
pub(super) fn keep(check: &Check, strategy: &mut (dyn Strategy + Send)) -> Option<String> {
    let file = check.model_file.as_deref()?;
    let shown = file.display();
    let (part, format) = asked(file);
    let failed = |why: String| format!("the model could not be written to {shown}: {why}");
    let Some(model) = strategy.net(EXPORTED_NODES) else {
        let why = strategy.beyond().map_or_else(
            || {
                let strategy = check.strategy;
                let workers = if check.workers > 1 { " with several workers" } else { "" };
                format!("the strategy `{strategy}` builds no model{workers}")
            },
            |why| format!("no model of this program can be built: {}", beyond(why)),
        );
        return Some(failed(why));
    };
    match model_file(&model, part, format) {
        Ok(contents) => std::fs::write(file, contents).err().map(|error| failed(error.to_string())),
        Err(error) => Some(failed(error.to_string())),
    }
}
