//! The formats in which a whole check can be had: their names, the files that hold them, and who writes them.

use std::fmt;
use std::str::FromStr;

use raddle_explore::nearest;

use crate::{OutputFile, Record, Style};

/// One way to write down a check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Format {
    /// Text for people.
    Human,
    /// The record itself.
    Json,
    /// JUnit XML; only if this crate is built with the feature `junit`.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Commands that make GitHub show findings beside the lines.
    Github,
    /// The summary of a step on GitHub, in Markdown.
    GithubSummary,
    /// The page.
    Html,
    /// The runs of the findings for `chrome://tracing` and Perfetto.
    Chrome,
    /// The same for ShiViz.
    Shiviz,
}

/// A name that is none of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Format::ALL.map(Format::as_str);
        let near = nearest(&self.0, &names);
        let near = near.map_or_else(|| ";".to_owned(), |near| format!(", did you mean `{near}`?"));
        write!(f, "there is no format `{}`{near} there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        let found = Format::ALL.into_iter().find(|format| format.as_str() == name);
        found.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 9] = [
        Format::Human,
        Format::Json,
        Format::Junit,
        Format::Sarif,
        Format::Github,
        Format::GithubSummary,
        Format::Html,
        Format::Chrome,
        Format::Shiviz,
    ];

    /// Those that the folder of every check has, as far as they are built in. The record comes last: who finds it finds the
    /// others.
    pub const ALWAYS_KEPT: [Format; 4] = [Format::Sarif, Format::Junit, Format::Html, Format::Json];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
            Format::Junit => "junit",
            Format::Sarif => "sarif",
            Format::Github => "github",
            Format::GithubSummary => "github-summary",
            Format::Html => "html",
            Format::Chrome => "chrome",
            Format::Shiviz => "shiviz",
        }
    }

    /// The file that holds it in the folder of a check; none if it is of use only where GitHub reads it.
    #[must_use]
    pub const fn file_name(self) -> Option<&'static str> {
        match self {
            Format::Human => Some("report.txt"),
            Format::Json => Some("record.json"),
            Format::Junit => Some("junit.xml"),
            Format::Sarif => Some("results.sarif"),
            Format::Github => None,
            Format::GithubSummary => Some("summary.md"),
            Format::Html => Some("report.html"),
            Format::Chrome => Some("chrome-trace.json"),
            Format::Shiviz => Some("shiviz.log"),
        }
    }

    /// Whether it can be written here.
    #[must_use]
    pub const fn is_built_in(self) -> bool {
        !matches!(self, Format::Junit) || cfg!(feature = "junit")
    }

    /// The check in this format; none if it is not built in.
    #[must_use]
    pub fn write(
        self,
        record: &Record,
        style: &Style,
        source: &dyn Fn(&str) -> Option<String>,
    ) -> Option<String> {
        Some(match self {
            Format::Human => human(record, style, source),
            Format::Json => crate::json(record),
            #[cfg(feature = "junit")]
            Format::Junit => crate::junit(std::slice::from_ref(record), source),
            #[cfg(not(feature = "junit"))]
            Format::Junit => return None,
            Format::Sarif => crate::sarif(record),
            Format::Github => crate::github_annotations(record),
            Format::GithubSummary => crate::github_summary(record, source),
            Format::Html => crate::page(record, source),
            Format::Chrome => crate::chrome_trace(record),
            Format::Shiviz => crate::shiviz(record),
        })
    }
}

/// The findings and the verdict as text.
fn human(record: &Record, style: &Style, source: &dyn Fn(&str) -> Option<String>) -> String {
    let texts = record.findings.iter().map(|found| crate::finding(&found.view(), style, source) + "\n");
    texts.collect::<String>() + &crate::summary(&record.summary(), style)
}

/// The files of one check: what every folder has, and what else was asked for.
#[must_use]
pub fn check_files(
    record: &Record,
    also: &[Format],
    source: &dyn Fn(&str) -> Option<String>,
) -> Vec<OutputFile> {
    let asked = also.iter().filter(|format| !Format::ALWAYS_KEPT.contains(format));
    let mut files = Vec::new();
    for format in asked.chain(&Format::ALWAYS_KEPT) {
        if let (Some(name), Some(contents)) =
            (format.file_name(), format.write(record, &Style::default(), source))
        {
            files.push(OutputFile { path: name.to_owned(), contents });
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_its_format_and_a_wrong_one_to_the_nearest() {
        for format in Format::ALL {
            assert_eq!(format.as_str().parse(), Ok(format));
        }
        let error = "sarfi".parse::<Format>().expect_err("there is none of this name");
        assert!(
            error.to_string().starts_with("there is no format `sarfi`, did you mean `sarif`?"),
            "{error}"
        );
    }

    #[test]
    fn no_two_formats_share_a_file() {
        let mut names: Vec<&str> = Format::ALL.into_iter().filter_map(Format::file_name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Format::ALL.len() - 1, "only annotations have no file");
    }
}
