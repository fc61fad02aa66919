//! Arguments of chores: `--name NUMBER`, words, and nothing else.

/// What was typed after the chore's name.
pub struct Arguments {
    rest: Vec<String>,
    problem: Option<String>,
}

impl Arguments {
    pub fn new(arguments: &[String]) -> Arguments {
        Arguments { rest: arguments.to_vec(), problem: None }
    }

    /// Takes out `name VALUE`.
    fn value(&mut self, name: &str) -> Option<String> {
        let at = self.rest.iter().position(|word| word == name)?;
        self.rest.remove(at);
        if at < self.rest.len() {
            return Some(self.rest.remove(at));
        }
        self.problem = Some(format!("{name} needs a value"));
        None
    }

    /// The number after `name`.
    pub fn number(&mut self, name: &str, default: u64) -> u64 {
        let Some(value) = self.value(name) else { return default };
        value.parse().unwrap_or_else(|_| {
            self.problem = Some(format!("{name}: `{value}` is not a whole number"));
            default
        })
    }

    /// The text after `name`.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.value(name)
    }

    /// Whether the word `name` is there.
    pub fn has(&mut self, name: &str) -> bool {
        let at = self.rest.iter().position(|word| word == name);
        at.map(|at| self.rest.remove(at)).is_some()
    }

    /// Whether everything was understood.
    pub fn finish(self) -> Result<(), String> {
        match (self.problem, self.rest.first()) {
            (Some(problem), _) => Err(problem),
            (None, Some(word)) => Err(format!("`{word}` is not known here; see `cargo xtask help`")),
            (None, None) => Ok(()),
        }
    }
}
