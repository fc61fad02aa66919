//! `cargo xtask goals`: what can be measured of how the command shows things, on every program of the corpus.
//!
//! The page of goals in the book says what each number is for. What does not need a measurement is held by tests.

mod corpus;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::arguments::Arguments;
use corpus::{Case, cases, check, scratch};

/// The part of a search after which its estimate is looked at.
const PARTS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];
/// Searches with fewer runs say nothing about estimates.
const FEWEST_RUNS: u64 = 200;
/// How often each finding is replayed elsewhere.
const REPLAYS: u32 = 2;
/// How long brute force may take for one finding.
const BRUTE_FORCE: &str = "20s";
/// The user and the group that own nothing.
const NOBODY: &str = "65534";

pub fn main(arguments: &[String]) -> ExitCode {
    let mut arguments = Arguments::new(arguments);
    let raddle = arguments.text("--raddle");
    let only = arguments.text("--only");
    let program = arguments.text("--program");
    let raddle = arguments.finish().and_then(|()| raddle.map_or_else(built, |path| Ok(PathBuf::from(path))));
    let raddle = match raddle {
        Ok(raddle) => raddle,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only.split(',').any(|one| one == name));
    let cases: Vec<Case> = cases()
        .into_iter()
        .filter(|case| program.as_ref().is_none_or(|part| case.name.contains(part.as_str())))
        .collect();
    println!("{:<5} {:<64} reached", "goal", "what was measured");
    if wanted("U2") {
        sign_of_life(&raddle);
    }
    if wanted("U4") || wanted("U7") {
        findings(&raddle, &cases, wanted("U4"), wanted("U7"));
    }
    if wanted("U9") {
        estimates(&raddle, &cases);
    }
    ExitCode::SUCCESS
}

/// The command, built.
fn built() -> Result<PathBuf, String> {
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--release", "--package", "raddle-cli"])
        .status()
        .map_err(|error| format!("cargo could not be started: {error}"))?;
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| crate::root().join("target"), PathBuf::from);
    if status.success() {
        Ok(folder.join("release/raddle"))
    } else {
        Err("the command was not built".to_owned())
    }
}

fn row(goal: &str, what: &str, reached: &str) {
    println!("{goal:<5} {what:<64} {reached}");
}

/// U2: how long it takes until something is seen.
fn sign_of_life(raddle: &Path) {
    let folder = scratch("life");
    let bank = crate::root().join("examples/c/bank.c");
    let mut times: Vec<f64> = (0..10)
        .filter_map(|_| {
            let start = Instant::now();
            let mut child = Command::new(raddle)
                .args(["check", "--progress", "live"])
                .arg(&bank)
                .current_dir(&folder)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .ok()?;
            let mut first = [0];
            child.stderr.take()?.read_exact(&mut first).ok()?;
            let time = start.elapsed().as_secs_f64() * 1_000.0;
            let _ = child.wait();
            Some(time)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (median, worst) = (times.get(times.len() / 2), times.last());
    let shown = |time: Option<&f64>| time.map_or_else(|| "none".to_owned(), |time| format!("{time:.0} ms"));
    row(
        "U2",
        "first sign of life, median and worst of ten",
        &format!("{} and {}", shown(median), shown(worst)),
    );
    let _ = std::fs::remove_dir_all(folder);
}

/// U4: whether fewer pre-emptions would do; U7: whether a stranger can replay.
fn findings(raddle: &Path, cases: &[Case], shrunk: bool, replayed: bool) {
    let (mut fewest, mut more, mut far, mut unknown) = (0, 0, 0, 0);
    let (mut again, mut tried) = (0, 0);
    for case in cases.iter().filter(|case| case.fails) {
        let folder = scratch("finding");
        let Some(record) = check(raddle, case, &folder, &[]) else { continue };
        for finding in record["findings"].as_array().into_iter().flatten() {
            if shrunk {
                match needed(raddle, case, finding) {
                    Some(needed) if needed.fewest == needed.shown => fewest += 1,
                    Some(needed) => {
                        more += 1;
                        far += u64::from(2 * needed.shown > 3 * needed.fewest);
                        println!(
                            "      {}: {} pre-emptions, {} would do",
                            case.name, needed.shown, needed.fewest
                        );
                    }
                    None => {
                        unknown += 1;
                        println!("      {}: brute force did not end", case.name);
                    }
                }
            }
            if replayed {
                for _ in 0..REPLAYS {
                    tried += 1;
                    let is_same = replays_for_a_stranger(raddle, &folder, finding);
                    again += u64::from(is_same);
                    if !is_same {
                        println!("      {}: does not replay elsewhere", case.name);
                    }
                }
            }
        }
        let _ = std::fs::remove_dir_all(folder);
    }
    if shrunk {
        let known = fewest + more;
        let share = 100.0 * fewest as f64 / (known.max(1)) as f64;
        let reached =
            format!("{fewest} of {known} ({share:.0} %), {far} by more than half, {unknown} not known");
        row("U4", "findings with the fewest pre-emptions that brute force knows", &reached);
    }
    if replayed {
        row("U7", "replays of findings in a copied folder, as another user", &format!("{again} of {tried}"));
    }
}

/// Pre-emptions: as many as are shown, and the fewest that do.
struct Needed {
    shown: u64,
    fewest: u64,
}

/// Brute force over all schedules with fewer and fewer pre-emptions; none if it did not end in time.
fn needed(raddle: &Path, case: &Case, finding: &Value) -> Option<Needed> {
    let shown = finding["preemptions"].as_u64()?;
    for bound in 0..shown {
        let folder = scratch("bound");
        let bound_text = bound.to_string();
        let flags = [
            "--strategy",
            "preemption-bound",
            "--bound",
            &bound_text,
            "--keep-going",
            "--max-time",
            BRUTE_FORCE,
        ];
        let record = check(raddle, case, &folder, &flags);
        let _ = std::fs::remove_dir_all(folder);
        let record = record?;
        let same = |other: &Value| other["kind"] == finding["kind"] && other["at"] == finding["at"];
        if record["findings"].as_array().into_iter().flatten().any(same) {
            return Some(Needed { shown, fewest: bound });
        }
        if record["finished"] != true {
            return None;
        }
    }
    Some(Needed { shown, fewest: shown })
}

/// Copies the folder of a finding to where everybody can read it, and replays it as somebody who owns nothing.
fn replays_for_a_stranger(raddle: &Path, folder: &Path, finding: &Value) -> bool {
    let id = finding["id"].as_str().unwrap_or_default();
    let elsewhere = scratch("elsewhere");
    let copy = elsewhere.join("given to me");
    let copied = Command::new("cp")
        .arg("-r")
        .arg(folder.join("raddle-out/findings").join(id))
        .arg(&copy)
        .status()
        .and_then(|_| Command::new("chmod").args(["-R", "a+rX"]).arg(&elsewhere).status());
    if !copied.is_ok_and(|status| status.success()) {
        return false;
    }
    // Only root can become somebody else; others replay as themselves.
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(raddle);
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if !is_root {
        command = Command::new(raddle);
    }
    let output = command.args(["replay", "--format", "json"]).arg(&copy).current_dir("/").output();
    let _ = std::fs::remove_dir_all(elsewhere);
    output.is_ok_and(|output| {
        let record: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        output.status.code() == Some(1) && record["findings"][0]["kind"] == finding["kind"]
    })
}

/// U9: how often the final count is within what the estimate said.
fn estimates(raddle: &Path, cases: &[Case]) {
    let (mut within, mut all, mut searches) = (0, 0, 0);
    for strategy in ["optimal-dpor", "dpor-cr-sleep"] {
        for case in cases.iter().filter(|case| !case.fails && !case.names_a_strategy()) {
            let folder = scratch("estimate");
            let named = ["--strategy", strategy];
            let record = check(raddle, case, &folder, &named);
            let runs = record.as_ref().and_then(|record| record["runs"].as_u64()).unwrap_or(0);
            let finished = record.is_some_and(|record| record["finished"] == true);
            if finished && runs >= FEWEST_RUNS {
                searches += 1;
                for part in PARTS {
                    let limit = ((runs as f64 * part) as u64).to_string();
                    let flags = [&named[..], &["--max-runs", &limit]].concat();
                    let Some(stopped) = check(raddle, case, &folder, &flags) else { continue };
                    let number = |name: &str| stopped["estimate"][name].as_f64();
                    all += 1;
                    let (Some(total), Some(off)) = (number("total_runs"), number("uncertainty")) else {
                        continue;
                    };
                    let is_within = (runs as f64 - total).abs() <= off * total;
                    within += u64::from(is_within);
                    if !is_within {
                        println!(
                            "      {} ({strategy}) at {part}: said {total:.0} +- {:.0} %, was {runs}",
                            case.name,
                            off * 100.0
                        );
                    }
                }
            }
            let _ = std::fs::remove_dir_all(folder);
        }
    }
    let share = 100.0 * within as f64 / f64::from(all.max(1));
    let what = format!("estimates of {searches} searches within their uncertainty");
    row("U9", &what, &format!("{within} of {all} ({share:.0} %)"));
}
