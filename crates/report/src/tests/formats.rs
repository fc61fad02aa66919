//! The formats for machines, on records of each sort.

use serde_json::Value;

use super::records::{EVIL, all, failed, found, hostile};
use super::*;
use crate::{
    Fate, Tree, TreeNode, chrome_trace, finding_json, github_annotations, github_summary, json, sarif, shiviz,
};

const SCHEMA: &str = include_str!("../../../../docs/schema/raddle-1.schema.json");
const SARIF_SCHEMA: &str = include_str!("schemas/sarif-2.1.0.json");

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

#[test]
fn json_fits_its_published_schema() {
    for record in all() {
        assert_eq!(schema::problems(SCHEMA, &json(&record)), Vec::<String>::new(), "{}", record.program);
        for found in &record.findings {
            let text = finding_json(&record, found);
            assert_eq!(schema::problems(SCHEMA, &text), Vec::<String>::new(), "{text}");
        }
    }
}

#[test]
fn json_has_the_keys_that_scripts_rely_on() {
    let document = parsed(&json(&failed("bank.c", vec![found(&bank::script(), "k3f7")])));
    let numbers = ["schema", "runs", "blocked", "steps", "threads"].map(|key| document[key].as_u64());
    assert_eq!(numbers, [Some(1), Some(1_204), Some(3), Some(51_234), Some(4)]);
    assert_eq!(document["verdict"], "failed");
    assert_eq!(document["strategy"], "optimal-dpor");
    assert_eq!(document["seconds"], 3.1);
    let finding = &document["findings"][0];
    assert_eq!(
        [&finding["id"], &finding["kind"], &finding["message"]],
        ["k3f7", "assertion", "balance == 30"]
    );
    assert_eq!([&finding["run"], &finding["preemptions"]], [4, 1]);
    assert!(finding["at"]["file"].as_str().is_some_and(|file| file.ends_with("bank.rs")));
    assert!(finding["at"]["line"].is_u64());
}

#[test]
fn the_steps_of_a_finding_say_what_changed_what_is_held_and_what_comes_before() {
    let record = failed("bank.c", vec![found(&bank::script(), "k3f7")]);
    let document = parsed(&finding_json(&record, &record.findings[0]));
    let steps = document["finding"]["trace"].as_array().expect("the steps are there");
    let lost = steps.iter().find(|step| step["comment"] == "undoes step 7").expect("a step undoes another");
    assert_eq!(lost["change"], serde_json::json!({ "what": "atomic 1", "before": "60", "after": "70" }));
    let switch = steps.iter().find(|step| step["preempts"] == true).expect("a switch nobody forced");
    assert_eq!(switch["switch"], "a pre-emption: T1 could have gone on with `atomic 1 ← 70`, step 9");

    let record = failed("teller.c", vec![found(&teller::script(), "m2c8")]);
    let document = parsed(&finding_json(&record, &record.findings[0]));
    assert_eq!(document["finding"]["trace"][1]["holds"], serde_json::json!(["mutex 1"]));
    assert_eq!(document["finding"]["race"]["first"]["holding"], serde_json::json!(["mutex 1"]));
}

#[test]
fn what_was_tried_is_told_in_whole_levels_as_far_as_it_fits() {
    let node = |parent, runs| TreeNode {
        parent,
        step: "T1 lock".to_owned(),
        fate: Fate::Asleep,
        runs,
        before: 0,
        shown: None,
    };
    let mut record = failed("bank.c", vec![found(&bank::script(), "k3f7")]);
    let mut nodes = vec![node(None, 9)];
    nodes.extend((0..30).map(|_| node(Some(0), 1)));
    nodes.extend((0..600).map(|number| node(Some(1 + number % 30), 0)));
    record.tree = Some(Tree { nodes, levels: 2, left_out: 5, ..Tree::default() });
    let text = json(&record);
    assert_eq!(schema::problems(SCHEMA, &text), Vec::<String>::new(), "{text}");
    let explored = &parsed(&text)["explored"];
    assert_eq!((&explored["levels"], &explored["left_out"]), (&1.into(), &605.into()));
    let prefixes = explored["prefixes"].as_array().expect("they are there");
    assert_eq!(prefixes.len(), 31);
    assert_eq!(
        prefixes[30],
        serde_json::json!({ "parent": 0, "step": "T1 lock", "fate": "asleep", "runs": 1 })
    );
}

#[test]
fn sarif_fits_the_official_schema() {
    for record in all() {
        let text = sarif(&record);
        assert_eq!(schema::problems(SARIF_SCHEMA, &text), Vec::<String>::new(), "{}", record.program);
    }
}

#[test]
fn sarif_has_one_flow_per_thread_and_the_order_between_them() {
    let document = parsed(&sarif(&failed("bank.c", vec![found(&bank::script(), "k3f7")])));
    let flows = document["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"].as_array().cloned();
    let flows = flows.expect("there are flows");
    let names: Vec<&Value> = flows.iter().map(|flow| &flow["id"]).collect();
    assert_eq!(names, ["T0 main", "T1 teller", "T2 teller"]);
    let locations = flows.iter().flat_map(|flow| flow["locations"].as_array().cloned().unwrap_or_default());
    let mut order: Vec<u64> = locations.filter_map(|location| location["executionOrder"].as_u64()).collect();
    order.sort_unstable();
    assert_eq!(order, (1..=bank::script().run.events.len() as u64).collect::<Vec<u64>>());
}

#[test]
fn the_fingerprint_names_the_fault_not_the_run() {
    let mut later = found(&bank::script(), "k3f7");
    later.found_in_run = 900;
    let prints = [found(&bank::script(), "k3f7"), later].map(|found| {
        let document = parsed(&sarif(&failed("bank.c", vec![found])));
        document["runs"][0]["results"][0]["partialFingerprints"].clone()
    });
    assert_eq!(prints[0], prints[1]);
    let other = parsed(&sarif(&failed("bank.c", vec![found(&teller::script(), "m2c8")])));
    assert_ne!(prints[0], other["runs"][0]["results"][0]["partialFingerprints"]);
}

#[test]
fn annotations_cannot_be_forged_and_are_ten_at_most() {
    let lines = github_annotations(&hostile());
    assert_eq!(lines.lines().count(), 1, "{lines}");
    let (command, message) = lines.trim_start_matches("::error ").split_once("::").expect("a command");
    assert!(command.starts_with("file=</script>"), "{command}");
    assert!(message.contains("%0Areplay"), "{message}");
    let many =
        failed("bank.c", (0..12).map(|number| found(&bank::script(), &format!("f{number}"))).collect());
    let text = github_annotations(&many);
    assert_eq!(text.lines().filter(|line| line.starts_with("::error ")).count(), 10);
    assert_eq!(text.lines().last(), Some("::notice title=raddle::2 findings more"));
}

#[test]
fn the_summary_of_a_step_is_not_broken_by_what_is_in_it() {
    let text = github_summary(&hostile(), &|_| Some(format!("{EVIL}\n").repeat(9)));
    let outside: Vec<&str> = text.split("```").step_by(2).collect();
    assert!(outside.iter().all(|part| !part.contains("<img") && !part.contains("<script")), "{text}");
    assert!(text.len() < 1_000_000);
}

#[test]
fn hostile_text_stays_text() {
    for text in [json(&hostile()), sarif(&hostile()), chrome_trace(&hostile())] {
        assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()), "{text:?}");
        parsed(&text);
    }
    let log = shiviz(&hostile());
    assert!(log.lines().all(|line| line.chars().all(|letter| !letter.is_control())), "{log:?}");
}
