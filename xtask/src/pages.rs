//! `cargo xtask pages`: opens the report's pages in a real browser.
//!
//! The samples of the report's own tests are written as pages, and each is opened in headless Chromium from disk: no script
//! error, no request to anywhere, keys move the step, links lead to one, and everything is there without scripts. Pictures
//! of each are left beside it, to be looked at: light, dark, narrow, wide, as it prints, and without scripts.

mod browser;
mod used;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::{Value, json};

use browser::{Browser, Tab};

/// A page of ten thousand steps should be there within this many milliseconds.
const GOAL: f64 = 1_000.0;

pub fn main(arguments: &[String]) -> ExitCode {
    if let Some(word) = arguments.first() {
        eprintln!("`{word}` is not known here; `cargo xtask pages` takes no arguments");
        return ExitCode::from(2);
    }
    match check() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("could not look at the pages: {problem}");
            ExitCode::from(3)
        }
    }
}

/// Looks at every page; returns how many problems there are.
fn check() -> Result<usize, String> {
    install()?;
    let folder = crate::root().join("target/pages");
    let pages = write(&folder)?;
    let mut browser = Browser::start(&folder)?;
    let mut problems = 0;
    println!("{:<16} {:>10} {:>7} {:>9} {:>9}", "page", "bytes", "steps", "open", "busy");
    for page in &pages {
        let seen = look(&mut browser, page).map_err(|error| format!("{}: {error}", page.display()))?;
        let bytes = std::fs::metadata(page).map_or(0, |metadata| metadata.len());
        let name = page.file_stem().unwrap_or_default().to_string_lossy();
        let over = if seen.open > GOAL { "  over the goal of a second" } else { "" };
        println!(
            "{name:<16} {bytes:>10} {:>7} {:>6.0} ms {:>6.0} ms{over}",
            seen.steps, seen.open, seen.busy
        );
        for problem in &seen.problems {
            println!("    {problem}");
        }
        problems += seen.problems.len();
    }
    println!("pages: {} problems; pictures are in {}", problems, folder.display());
    Ok(problems)
}

/// Installs the browser if there is none.
fn install() -> Result<(), String> {
    let there =
        Command::new("chromium").arg("--version").output().is_ok_and(|output| output.status.success());
    if there {
        return Ok(());
    }
    let script = "root=; [ \"$(id -u)\" -eq 0 ] || root=sudo; \
        $root apt-get update -qq && $root apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core";
    let status = Command::new("sh").args(["-c", script]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err("chromium is not installed, and apt-get could not install it".to_owned()),
    }
}

/// Writes the samples as pages.
fn write(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["test", "--quiet", "--package", "raddle-report", "pages_are_written_where_they_are_asked_for"])
        .env("RADDLE_PAGES", folder)
        .status()
        .map_err(|error| format!("cargo could not be started: {error}"))?;
    if !status.success() {
        return Err("the pages could not be written".to_owned());
    }
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut pages: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
    pages.sort();
    if pages.is_empty() { Err("no page was written".to_owned()) } else { Ok(pages) }
}

/// What was seen of one page.
struct Seen {
    steps: usize,
    /// Until it was there, in milliseconds.
    open: f64,
    /// How long its thread was busy until then, in milliseconds.
    busy: f64,
    problems: Vec<String>,
}

fn look(browser: &mut Browser, page: &Path) -> Result<Seen, String> {
    let mut tab = browser.tab()?;
    let address = format!("file://{}", page.display());
    tab.open(&address)?;
    let open = tab.evaluate(
        "(() => { const p = performance.getEntriesByType('navigation')[0], f = performance.getEntriesByName('first-contentful-paint')[0]; \
         return Math.max(p.loadEventEnd, f ? f.startTime : 0); })()",
    )?;
    let busy = tab.busy()?;
    let steps = count_steps(&mut tab)?;
    let findings = count(&mut tab, ".finding")?;
    let mut problems = Vec::new();
    if steps > 0 {
        used::keys(&mut tab, &mut problems)?;
        used::passing(&mut tab, &mut problems)?;
        used::folds(&mut tab, &mut problems)?;
        tab.evaluate("location.hash = '#step-2'; 0")?;
        tab.settle()?;
        expect(
            &mut tab,
            "document.querySelectorAll('.row.now[id$=\"/step/2\"]').length > 0",
            "a link leads to a step",
            &mut problems,
        )?;
    }
    used::tree(&mut tab, &mut problems)?;
    // What is far away is brought in when there is time.
    for _ in 0..1_000 {
        if count(&mut tab, ".chunk > noscript")? == 0 {
            break;
        }
        tab.settle()?;
    }
    if count(&mut tab, "a.row")? != steps {
        problems.push("not all steps were brought in".to_owned());
    }
    expect(
        &mut tab,
        "document.querySelectorAll('img,iframe,object,embed,link,form').length === 0",
        "nothing was smuggled in",
        &mut problems,
    )?;
    for (theme, name) in [("light", "light"), ("dark", "dark")] {
        tab.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] }),
        )?;
        tab.picture(&page.with_extension(format!("{name}.png")))?;
    }
    tab.call("Emulation.setEmulatedMedia", json!({ "media": "print" }))?;
    tab.picture(&page.with_extension("print.png"))?;
    tab.call("Emulation.setEmulatedMedia", json!({ "media": "" }))?;
    for (width, name) in [(420, "narrow"), (2200, "wide")] {
        let size = json!({ "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        tab.call("Emulation.setDeviceMetricsOverride", size)?;
        tab.picture(&page.with_extension(format!("{name}.png")))?;
    }
    tab.without_scripts()?;
    tab.open(&address)?;
    if count(&mut tab, "a.row")? != steps || count(&mut tab, ".finding")? != findings {
        problems.push("without scripts something is missing".to_owned());
    }
    expect(
        &mut tab,
        "Array.from(document.querySelectorAll('.beside')).every((beside) => { \
         beside.querySelector('summary').click(); return beside.open && beside.querySelectorAll('tr').length > 3; })",
        "the run that passes opens without scripts",
        &mut problems,
    )?;
    if count(&mut tab, ".now-panel")? != 0 {
        problems.push("scripts ran although they were switched off".to_owned());
    }
    tab.picture(&page.with_extension("plain.png"))?;
    problems.extend(tab.trouble(&address));
    tab.close()?;
    Ok(Seen { steps, open: open.as_f64().unwrap_or(f64::NAN), busy, problems })
}

/// The steps, also those that are still to be brought in.
fn count_steps(tab: &mut Tab<'_>) -> Result<usize, String> {
    let count = "Array.from(document.querySelectorAll('.chunk')).reduce((sum, chunk) => sum + Number(chunk.dataset.count), 0)";
    Ok(tab.evaluate(count)?.as_u64().unwrap_or(0) as usize)
}

fn count(tab: &mut Tab<'_>, selector: &str) -> Result<usize, String> {
    let selector = Value::from(selector);
    let count = tab.evaluate(&format!("document.querySelectorAll({selector}).length"))?;
    Ok(count.as_u64().unwrap_or(0) as usize)
}

fn expect(tab: &mut Tab<'_>, truth: &str, what: &str, problems: &mut Vec<String>) -> Result<(), String> {
    if tab.evaluate(truth)? != Value::Bool(true) {
        problems.push(format!("not so: {what}"));
    }
    Ok(())
}
