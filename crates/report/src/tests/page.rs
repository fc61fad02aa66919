//! The page, as far as it can be judged without a browser; `cargo xtask pages` opens it in one.

use sha2::{Digest, Sha256};

use super::records::{EVIL, all, failed, found, hostile};
use super::*;
use crate::page::{CSS, SCRIPT, SCRIPT_HASH};
use crate::{Fate, Graph, Node, Record, Shape, Tree, TreeNode, TreeRun, TreeStep, page};

/// The attributes by which a page could reach out or run something.
const REACHING: &[&str] = &[
    " src=",
    " srcset=",
    " action=",
    " onerror=",
    " onload=",
    " onclick=",
    "javascript:",
    "@import",
    "url(http",
    "<link",
    "<iframe",
];

#[test]
fn the_policy_knows_the_script_and_no_other() {
    let text = page(&failed("bank.c", vec![found(&bank::script(), "k3f7")]), &source);
    let hash = base64(&Sha256::digest(SCRIPT.as_bytes()));
    assert_eq!(SCRIPT_HASH, hash, "the script has changed: put its new hash into page.rs");
    assert!(text.contains(&format!("script-src 'sha256-{hash}'")) && text.contains("default-src 'none'"));
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0_usize, |number, byte| number << 8 | usize::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = char::from(LETTERS[number >> (18 - 6 * place) & 63]);
            text.push(if place <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

/// What stands between the angle brackets of the page's own tags, without styles and script.
fn tags(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut tags = Vec::new();
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').expect("every tag is closed");
        tags.push(tag);
        let raw = ["style", "script"].into_iter().find(|name| tag == *name);
        rest = match raw {
            Some(name) => after.split_once(&format!("</{name}>")).expect("it is closed").1,
            None => after,
        };
    }
    tags
}

#[test]
fn hostile_names_and_sources_stay_text() {
    let mut record = hostile();
    record.tree = Some(Tree {
        nodes: vec![TreeNode {
            parent: None,
            step: EVIL.to_owned(),
            fate: Fate::Explored,
            runs: 1,
            before: 0,
            shown: Some(0),
        }],
        shown: vec![TreeRun {
            threads: vec![EVIL.to_owned()],
            steps: vec![TreeStep {
                thread: 0,
                text: EVIL.to_owned(),
                place: EVIL.to_owned(),
                preempts: true,
            }],
            end: EVIL.to_owned(),
            ..TreeRun::default()
        }],
        levels: 1,
        left_out: 0,
    });
    record.nets = vec![Graph {
        title: EVIL.to_owned(),
        nodes: vec![Node { label: EVIL.to_owned(), shape: Shape::Marked }],
        ..Graph::default()
    }];
    record.coverage = records::stopped().coverage;
    record.isolation = Some(crate::Kept { how: "fork", why: EVIL.to_owned() });
    let text = page(&record, &|_| Some(format!("{EVIL}\n").repeat(9)));
    let expected = page(&failed("x", vec![found(&bank::script(), "k3f7")]), &source);
    let names = |text: &str| {
        let own = tags(text);
        let mut names: Vec<String> =
            own.iter().map(|tag| tag.split([' ', '/']).next().unwrap_or_default().to_owned()).collect();
        names.sort();
        names.dedup();
        names
    };
    assert!(!names(&text).contains(&"img".to_owned()), "{:?}", names(&text));
    assert_eq!(text.matches("<script").count(), expected.matches("<script").count());
    assert_eq!(text.matches("</script").count(), 1);
    assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()));
    assert!(!text.contains('\u{202e}') && !text.contains('\u{2028}'));
    for tag in tags(&text).iter().filter(|tag| !tag.contains('"')) {
        assert!(REACHING.iter().all(|reaching| !tag.contains(reaching)), "{tag}");
    }
}

#[test]
fn the_page_reaches_for_nothing_outside() {
    for record in all().iter().filter(|record| record.program != EVIL) {
        let text = page(record, &source);
        for tag in tags(&text) {
            assert!(REACHING.iter().all(|reaching| !tag.contains(reaching)), "{tag}");
            if let Some((_, link)) = tag.split_once("href=\"") {
                assert!(link.starts_with('#'), "{tag}");
            }
        }
    }
    assert!(!CSS.contains("url(") && !SCRIPT.contains("http") && !SCRIPT.contains("innerHTML"));
}

#[test]
fn every_step_has_its_link_and_every_link_leads_somewhere() {
    for record in all() {
        let text = page(&record, &source);
        let own = tags(&text);
        let values = |name: &str| -> Vec<String> {
            let start = format!(" {name}=\"");
            own.iter()
                .filter_map(|tag| Some(tag.split_once(&start)?.1.split('"').next()?.to_owned()))
                .collect()
        };
        let ids = values("id");
        let links = values("href").into_iter().filter_map(|link| link.strip_prefix('#').map(str::to_owned));
        for link in links.chain(values("data-source")) {
            assert!(ids.contains(&link), "{link}");
        }
        let steps: usize = record.findings.iter().map(|found| found.run.events.len()).sum();
        assert_eq!(values("data-lane").len(), steps);
    }
    assert!(
        page(&failed("bank.c", vec![found(&bank::script(), "k3f7")]), &source).contains("id=\"k3f7/step/8\"")
    );
}

#[test]
fn the_page_says_without_a_script_what_changed_what_is_held_and_why_threads_switch() {
    let text = page(
        &failed("bank.c", vec![found(&bank::script(), "k3f7"), found(&teller::script(), "m2c8")]),
        &source,
    );
    for expected in [
        "undoes step 7",
        "atomic 1: 60 → 70",
        "a pre-emption: T1 could have gone on with `atomic 1 ← 70`, step 9",
        "holds <span class=\"holds\">mutex 1</span>",
        "races with step 5",
        "nothing orders the two accesses: only T1 holds a lock",
        "write by T1 teller, step 3, holding mutex 1",
    ] {
        assert!(text.contains(expected), "{expected}");
    }
    let text = page(&failed("queue.c", vec![found(&records::freed(), "u4f3")]), &source);
    assert!(text.contains("by T0 main, after step 3, queue.c:23 in produce"), "{text}");
}

/// Ten thousand steps of four threads.
pub(super) fn long() -> Record {
    long_with("a", 10_000)
}

/// So many steps of four threads, one of which has this name.
fn long_with(name: &str, steps: usize) -> Record {
    let mut script = Script::with_threads(&[None, Some(name), Some("b"), Some("c")]);
    let cells: Vec<_> = (0..5).map(|level| script.object("atomic", level)).collect();
    for step in 0..steps {
        let (thread, cell) = (step * 7 / 3 % 4, cells[step % 5]);
        if step % 3 == 0 { script.store(thread, cell, step as i64) } else { script.load(thread, cell) }
    }
    script.panics(0, "assertion failed: x == 3");
    failed("long", vec![found(&script, "long1")])
}

#[test]
fn a_page_of_ten_thousand_steps_is_below_five_megabytes() {
    let text = page(&long(), &source);
    assert!(text.len() < 5_000_000, "{}", text.len());
    assert_eq!(text.matches(" data-lane=").count(), 10_000);
}

#[test]
fn what_is_brought_in_later_cannot_be_left_early() {
    let text = page(&long_with(&format!("</noscript>{EVIL}"), 1_000), &source);
    // Ten chunks of a hundred steps, three of which are there at once.
    assert_eq!((text.matches("<noscript>").count(), text.matches("</noscript>").count()), (7, 7));
    assert_eq!(text.matches("<script").count(), 1);
}

#[test]
fn findings_share_what_a_page_can_show() {
    let mut record = long();
    record.findings = vec![record.findings[0].clone(), record.findings[0].clone()];
    let text = page(&record, &source);
    assert!(text.len() < 5_000_000, "{}", text.len());
    assert_eq!(text.matches("5,000 steps in the middle left out; finding.json has them all").count(), 2);
}

/// For `cargo xtask pages`, which opens them in a browser.
#[test]
fn pages_are_written_where_they_are_asked_for() {
    let Some(folder) = std::env::var_os("RADDLE_PAGES").map(std::path::PathBuf::from) else { return };
    let mut hostile_and_long = long_with(&format!("</noscript>{EVIL}"), 1_000);
    hostile_and_long.program = "hostile-long".to_owned();
    let folded = failed("folded", vec![found(&calls::script(), "c2l5")]);
    for record in all().into_iter().chain([long(), tried::explored(), hostile_and_long, folded]) {
        let is_hostile = record.program == EVIL;
        let name = if is_hostile { "hostile".to_owned() } else { record.program.replace('.', "-") };
        let text = page(&record, &|file| {
            if is_hostile { Some(format!("{EVIL}\n").repeat(9)) } else { source(file) }
        });
        std::fs::write(folder.join(format!("{name}.html")), text).expect("the folder can be written to");
    }
}

/// The colours of one theme, by name.
fn theme(css: &str) -> Vec<(String, [f64; 3])> {
    let body = css.split_once('{').map_or("", |(_, body)| body).split('}').next().unwrap_or_default();
    let colour = |text: &str| {
        let hex = text.trim().strip_prefix('#')?;
        let part = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok().map(f64::from);
        Some([part(0)?, part(2)?, part(4)?])
    };
    let pairs = body.split(';').filter_map(|pair| pair.trim().split_once(':'));
    pairs.filter_map(|(name, value)| Some((name.trim().to_owned(), colour(value)?))).collect()
}

/// The ratio of WCAG 2.
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let light = |colour: [f64; 3]| {
        let [r, g, b] = colour.map(|part| {
            let part = part / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (one, other) = (light(one), light(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn text_stands_out_from_what_is_behind_it_in_light_and_dark() {
    let (light, dark) = CSS.split_once("@media (prefers-color-scheme: dark)").expect("there are two themes");
    let dark = dark.split_once('{').map_or("", |(_, inside)| inside);
    let both = [
        ("--bg", "--text --muted --accent --fail --pass --warn --switch"),
        ("--panel", "--text --muted --accent --fail --pass --warn --switch"),
        ("--now", "--text --accent --fail --switch"),
        ("--mark", "--text --fail --accent"),
        ("--cell", "--text"),
    ];
    for theme in [theme(light), theme(dark)] {
        let get = |name: &str| theme.iter().find(|(known, _)| known == name).map(|(_, colour)| *colour);
        for (behind, texts) in both {
            for text in texts.split(' ') {
                let ratio = contrast(get(text).expect(text), get(behind).expect(behind));
                assert!(ratio >= 4.5, "{text} on {behind}: {ratio:.2}");
            }
        }
    }
}
