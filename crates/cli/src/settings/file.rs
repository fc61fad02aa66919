//! `raddle.toml`: found upwards like Cargo's, with the profiles `default` and `ci`. What it does not know it refuses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{KEYS, Key, ValueKind};
use crate::failure::Failure;
use crate::suggest::suggestion;

/// Its name.
pub(crate) const FILE_NAME: &str = "raddle.toml";
/// The profiles. Each takes from the one before what it does not say itself.
pub(crate) const PROFILES: [&str; 2] = ["default", "ci"];
/// What a `[[program]]` can say.
const PROGRAM_KEYS: &[&str] = &["name", "source", "cflags", "arguments"];
/// What is said to who wants the inputs of a program varied from here.
const NO_INPUTS: &str = "`inputs` is not there yet: let the program ask for what is to be tried, as in `int items = raddle_choose(5);` with raddle.h, \
     which is tried with 0 to 4; or write one [[program]] with its `arguments` for each input";

/// A value of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    /// As text, however it was written.
    pub(crate) text: String,
    /// Where, counted from one.
    pub(crate) line: usize,
}

/// A program that the project wants checked: `[[program]]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ProgramEntry {
    /// What it is called.
    pub(crate) name: String,
    /// Its source files, or its one binary, from the folder of the file.
    pub(crate) source: Vec<String>,
    /// Further arguments for the compiler.
    pub(crate) cflags: Option<String>,
    /// Its own arguments.
    pub(crate) arguments: Vec<String>,
}

/// The file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ConfigFile {
    /// Where it lies.
    pub(crate) path: PathBuf,
    profiles: BTreeMap<&'static str, BTreeMap<&'static str, Value>>,
    /// The programs that it lists.
    pub(crate) programs: Vec<ProgramEntry>,
}

/// The profile of this name, or a sentence.
pub(crate) fn profile(name: &str) -> Result<&'static str, String> {
    PROFILES.into_iter().find(|known| *known == name).ok_or_else(|| {
        format!(
            "there is no profile `{name}`{} there are {}",
            suggestion(name, &PROFILES),
            PROFILES.join(", ")
        )
    })
}

impl ConfigFile {
    /// The nearest file in this folder or above it.
    pub(crate) fn find(folder: &Path) -> Result<Option<ConfigFile>, Failure> {
        let Some(path) = folder.ancestors().map(|up| up.join(FILE_NAME)).find(|path| path.is_file()) else {
            return Ok(None);
        };
        let shown = path.strip_prefix(folder).unwrap_or(&path).to_owned();
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Failure::usage(format!(
                "could not read {}: {error}; make it readable text, or move it away",
                shown.display()
            ))
        })?;
        ConfigFile::read(&shown, &text).map(Some)
    }

    /// Reads the text of the file.
    fn read(path: &Path, text: &str) -> Result<ConfigFile, Failure> {
        let reader = Reader { path, text };
        let table = DeTable::parse(text).map_err(|error| {
            reader.wrong(error.span().map_or(0, |span| span.start), error.message().trim_end())
        })?;
        let mut file = ConfigFile { path: path.to_owned(), ..ConfigFile::default() };
        for (key, value) in table.get_ref() {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("program", DeValue::Array(entries)) => {
                    for entry in entries {
                        file.programs.push(reader.program(entry)?);
                    }
                }
                (name, DeValue::Table(entries)) if PROFILES.contains(&name) => {
                    let profile = profile(name).map_err(Failure::usage)?;
                    file.profiles.insert(profile, reader.profile(entries)?);
                }
                ("program", _) => {
                    let what = "`program` is a list of tables: write [[program]] above the keys of each";
                    return Err(reader.wrong(key.span().start, what));
                }
                (name, _) if PROFILES.contains(&name) => {
                    let what = format!("`{name}` is a table: write [{name}], and its keys below");
                    return Err(reader.wrong(key.span().start, &what));
                }
                (name, _) => {
                    let known = ["default", "ci", "program"];
                    return Err(reader.wrong(
                        key.span().start,
                        &format!(
                            "`{name}` is not known{} there are the tables [default], [ci] and [[program]]",
                            suggestion(name, &known)
                        ),
                    ));
                }
            }
        }
        Ok(file)
    }

    /// What a profile, or the one that it takes from, says of a setting; with the profile that says it.
    pub(crate) fn value(&self, key: &str, profile: &str) -> Option<(&Value, &'static str)> {
        let own = PROFILES.into_iter().position(|known| known == profile)?;
        PROFILES[..=own].iter().rev().find_map(|name| Some((self.profiles.get(name)?.get(key)?, *name)))
    }
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
}

type Entry<'a> = Spanned<DeValue<'a>>;

impl Reader<'_> {
    fn line(&self, at: usize) -> usize {
        self.text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
    }

    fn wrong(&self, at: usize, what: &str) -> Failure {
        Failure::usage(format!("{}:{}: {what}", self.path.display(), self.line(at)))
    }

    fn profile(&self, entries: &DeTable<'_>) -> Result<BTreeMap<&'static str, Value>, Failure> {
        let mut values = BTreeMap::new();
        for (key, value) in entries {
            let name = key.get_ref().as_ref();
            if name == "inherits" {
                // What a profile takes from is fixed; saying it again is allowed, saying something else is not.
                if self.text(value)? != "default" {
                    return Err(self.wrong(key.span().start, "`inherits` can only be \"default\""));
                }
                continue;
            }
            let Some(known) = KEYS.iter().find(|known| known.name == name) else {
                let names: Vec<&str> = KEYS.iter().map(|known| known.name).collect();
                return Err(self.wrong(
                    key.span().start,
                    &format!(
                        "`{name}` is not known{} there are {}",
                        suggestion(name, &names),
                        names.join(", ")
                    ),
                ));
            };
            let text = self.setting_text(known, value)?;
            values.insert(known.name, Value { text, line: self.line(key.span().start) });
        }
        Ok(values)
    }

    fn setting_text(&self, key: &Key, value: &Entry<'_>) -> Result<String, Failure> {
        let text = self.text(value)?;
        key.kind
            .checked(&text)
            .map_err(|what| self.wrong(value.span().start, &format!("{}: {what}", key.name)))?;
        match value.get_ref() {
            DeValue::Array(_) if !matches!(key.kind, ValueKind::Text | ValueKind::Words(_)) => {
                Err(self.wrong(value.span().start, &format!("{}: takes one value, not a list", key.name)))
            }
            _ => Ok(text),
        }
    }

    /// A value as the text that an option would have; the words of a list with spaces between them.
    fn text(&self, value: &Entry<'_>) -> Result<String, Failure> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.as_ref().to_owned()),
            DeValue::Integer(number) => Ok(number.to_string()),
            DeValue::Boolean(on) => Ok(on.to_string()),
            DeValue::Array(parts) => {
                Ok(parts.iter().map(|part| self.text(part)).collect::<Result<Vec<_>, _>>()?.join(" "))
            }
            _ => Err(self
                .wrong(value.span().start, "write a text, a whole number, true, false or a list of texts")),
        }
    }

    fn texts(&self, value: &Entry<'_>) -> Result<Vec<String>, Failure> {
        match value.get_ref() {
            DeValue::Array(parts) => parts.iter().map(|part| self.text(part)).collect(),
            _ => Ok(vec![self.text(value)?]),
        }
    }

    /// Names of files: a number is none.
    fn files(&self, value: &Entry<'_>) -> Result<Vec<String>, Failure> {
        let parts = match value.get_ref() {
            DeValue::Array(parts) => parts.iter().collect(),
            _ => vec![value],
        };
        let file = |part: &Entry<'_>| match part.get_ref() {
            DeValue::String(text) if !text.is_empty() => Ok(text.as_ref().to_owned()),
            _ => Err(self.wrong(
                part.span().start,
                "`source` takes the names of files: write `source = [\"FILE.c\"]`",
            )),
        };
        parts.into_iter().map(file).collect()
    }

    fn program(&self, entry: &Entry<'_>) -> Result<ProgramEntry, Failure> {
        let DeValue::Table(entries) = entry.get_ref() else {
            return Err(self.wrong(entry.span().start, "a program is written as a table, [[program]]"));
        };
        let mut program = ProgramEntry::default();
        for (key, value) in entries {
            match key.get_ref().as_ref() {
                "name" => program.name = self.text(value)?,
                "source" => program.source = self.files(value)?,
                "cflags" => program.cflags = Some(self.text(value)?),
                "arguments" => program.arguments = self.texts(value)?,
                "inputs" => return Err(self.wrong(key.span().start, NO_INPUTS)),
                name => {
                    let what = format!(
                        "`{name}` is not known{} a program has {}",
                        suggestion(name, PROGRAM_KEYS),
                        PROGRAM_KEYS.join(", ")
                    );
                    return Err(self.wrong(key.span().start, &what));
                }
            }
        }
        if program.source.is_empty() {
            return Err(self.wrong(entry.span().start, "a program needs `source = [\"FILE.c\"]`"));
        }
        if program.name.is_empty() {
            program.name = program.source[0].clone();
        }
        Ok(program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ConfigFile, String> {
        ConfigFile::read(Path::new("raddle.toml"), text).map_err(|failure| failure.text)
    }

    #[test]
    fn the_ci_profile_takes_from_the_default_one() {
        let file =
            read("[default]\nmax-time = \"10m\"\nseed = 3\n\n[ci]\nseed = 4\n").expect("it is well formed");
        let of = |key, profile| {
            file.value(key, profile).map(|(value, from)| (value.text.as_str(), value.line, from))
        };
        assert_eq!(of("max-time", "ci"), Some(("10m", 2, "default")));
        assert_eq!(of("seed", "ci"), Some(("4", 6, "ci")));
        assert_eq!(of("seed", "default"), Some(("3", 3, "default")));
        assert_eq!(of("bound", "ci"), None);
    }

    #[test]
    fn what_is_not_known_is_refused_with_its_line_and_a_suggestion() {
        let wrong = |text: &str| read(text).expect_err("it is not known");
        assert!(
            wrong("[default]\n\nmax-tme = \"1s\"\n")
                .starts_with("raddle.toml:3: `max-tme` is not known, did you mean `max-time`?"),
        );
        assert!(
            wrong("[defualt]\n")
                .starts_with("raddle.toml:1: `defualt` is not known, did you mean `default`?")
        );
        assert!(
            wrong("[[program]]\nsource = \"a.c\"\nnmae = \"x\"\n")
                .contains(":3: `nmae` is not known, did you mean `name`?")
        );
        assert!(
            wrong("[ci]\nformats = [\"junit\", \"sarfi\"]\n")
                .starts_with("raddle.toml:2: formats: `sarfi` is not known, did you mean `sarif`?")
        );
        assert_eq!(
            wrong("[ci]\nstrategy = [\"auto\"]\n"),
            "raddle.toml:2: strategy: takes one value, not a list"
        );
        let inputs = wrong("[[program]]\nsource = \"a.c\"\ninputs = { items = \"0..4\" }\n");
        assert!(
            inputs.starts_with("raddle.toml:3: `inputs` is not there yet: ")
                && inputs.contains("raddle_choose"),
            "{inputs}"
        );
        assert_eq!(
            wrong("[default]\nraces = 7\n"),
            "raddle.toml:2: races: `7` is not known; there are fail, ignore"
        );
        assert!(wrong("[default\n").starts_with("raddle.toml:1: "));
        assert_eq!(
            wrong("default = 3\n"),
            "raddle.toml:1: `default` is a table: write [default], and its keys below"
        );
        assert_eq!(
            wrong("[program]\nsource = \"a.c\"\n"),
            "raddle.toml:1: `program` is a list of tables: write [[program]] above the keys of each"
        );
        for source in ["3", "[\"a.c\", true]", "\"\""] {
            assert_eq!(
                wrong(&format!("[[program]]\nsource = {source}\n")),
                "raddle.toml:2: `source` takes the names of files: write `source = [\"FILE.c\"]`"
            );
        }
        assert_eq!(
            wrong("[[program]]\nname = \"x\"\n"),
            "raddle.toml:1: a program needs `source = [\"FILE.c\"]`"
        );
    }
}
