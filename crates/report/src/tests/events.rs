//! The lines that tell what happens.

use raddle_explore::{Estimate, StrategyName};
use serde_json::Value;

use super::records::{all, failed, found};
use super::*;
use crate::{Happening, ListedRun, event_line};

const SCHEMA: &str = include_str!("../../../../docs/schema/raddle-events-1.schema.json");
const DOCUMENTS: &str = include_str!("../../../../docs/schema/raddle-1.schema.json");

const STARTED: Happening<'_> = Happening::Started {
    program: "bank\n\"2\".c",
    arguments: &[],
    strategy: StrategyName::OptimalDpor,
    workers: 2,
    version: "0.1.0",
    time: 1_794_961_997,
    folder: None,
};

#[test]
fn every_line_is_one_line_and_fits_its_published_schema() {
    let records = all();
    let mut happenings = vec![STARTED];
    for estimate in [None, Some(Estimate { done: 0.5, total_runs: 24.0, uncertainty: f64::INFINITY })] {
        let (runs, blocked, steps, threads, findings) = (12, 1, 99, 3, 0);
        happenings.push(Happening::Progress { runs, blocked, steps, threads, findings, estimate });
    }
    let script = bank::script();
    let (events, ending) = (script.run.events.as_slice(), script.run.ending);
    let run = ListedRun { number: 1, events, ending, found: None };
    happenings.push(Happening::Listed(&run));
    for record in &records {
        happenings.extend(record.findings.iter().map(Happening::Finding));
        happenings.push(Happening::Ended { record, exit_code: Some(1) });
    }
    happenings.push(Happening::Failed { exit_code: 70, meaning: "a bug in raddle", message: "two\nlines\n" });
    for happening in &happenings {
        let line = event_line(1.25, happening);
        assert_eq!(line.find('\n'), Some(line.len() - 1), "{line}");
        assert_eq!(schema::problems(SCHEMA, &line), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn a_line_begins_with_its_version_what_it_is_and_when_it_was() {
    let line = event_line(0.031_415_9, &STARTED);
    assert_eq!(
        line,
        "{\"schema\":1,\"event\":\"started\",\"seconds\":0.031,\"program\":\"bank\\n\\\"2\\\".c\",\"arguments\":[],\
         \"strategy\":\"optimal-dpor\",\"workers\":2,\"version\":\"0.1.0\",\"time\":1794961997,\"folder\":null}\n"
    );
    let record = failed("bank.c", vec![found(&bank::script(), "k3f7")]);
    let line = event_line(3.1, &Happening::Ended { record: &record, exit_code: Some(1) });
    assert_eq!(
        line,
        "{\"schema\":1,\"event\":\"ended\",\"seconds\":3.1,\"verdict\":\"failed\",\"exit_code\":1,\"runs\":1204,\"blocked\":3,\
         \"steps\":51234,\"threads\":4,\"findings\":[\"k3f7\"],\"resume\":null}\n"
    );
}

#[test]
fn what_stands_in_both_schemas_is_the_same() {
    let [events, documents]: [Value; 2] =
        [SCHEMA, DOCUMENTS].map(|text| serde_json::from_str(text).expect("it is JSON"));
    let shared = documents["definitions"].as_object().expect("definitions");
    let mut same = 0;
    for (name, definition) in events["definitions"].as_object().expect("definitions") {
        if let Some(other) = shared.get(name) {
            assert_eq!(definition, other, "{name}");
            same += 1;
        }
    }
    assert_eq!(same, 13);
}
