//! A small validator of JSON schemas: it knows what the schemas here use, and refuses every keyword that it does not
//! know, so that nothing passes because it was not looked at.

use serde_json::{Map, Value};

/// Keywords that say nothing about what is valid. `format` is a remark in draft 7.
const REMARKS: &[&str] = &["description", "default", "title", "$schema", "$id", "definitions", "format"];

/// What is wrong with the document.
pub(super) fn problems(schema: &str, document: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let document: Value = serde_json::from_str(document).expect("the document is JSON");
    let mut problems = Vec::new();
    validate(&schema, &schema, &document, "$", &mut problems);
    problems
}

fn validate(root: &Value, schema: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    let Some(rules) = schema.as_object() else {
        if schema == &Value::Bool(false) {
            problems.push(format!("{path} is not allowed"));
        }
        return;
    };
    if let Some(target) = rules.get("$ref").and_then(Value::as_str) {
        let target = target.strip_prefix('#').expect("a reference within the document");
        let target = if target.is_empty() {
            root
        } else {
            root.pointer(target).expect("the reference leads somewhere")
        };
        return validate(root, target, value, path, problems);
    }
    for (keyword, rule) in rules {
        match keyword.as_str() {
            "type" if !has_type(rule, value) => {
                problems.push(format!("{path} is not of type {rule}: {value}"))
            }
            "enum" if !rule.as_array().is_some_and(|all| all.contains(value)) => {
                problems.push(format!("{path} is none of {rule}: {value}"));
            }
            "const" if rule != value => problems.push(format!("{path} is not {rule}: {value}")),
            "minimum" if value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap_or(0.0)) => {
                problems.push(format!("{path} is below {rule}: {value}"));
            }
            "maximum" if value.as_f64().is_some_and(|number| number > rule.as_f64().unwrap_or(0.0)) => {
                problems.push(format!("{path} is above {rule}: {value}"));
            }
            "required" => required(rule, value, path, problems),
            "items" | "minItems" | "uniqueItems" => items(root, keyword, rule, value, path, problems),
            "properties" | "additionalProperties" => {
                properties(root, rules, keyword, rule, value, path, problems);
            }
            "anyOf" | "oneOf" => choices(root, keyword, rule, value, path, problems),
            "type" | "enum" | "const" | "minimum" | "maximum" => {}
            known if REMARKS.contains(&known) => {}
            unknown => problems.push(format!("{path}: the keyword {unknown} is not understood here")),
        }
    }
}

fn has_type(rule: &Value, value: &Value) -> bool {
    if let Some(several) = rule.as_array() {
        return several.iter().any(|rule| has_type(rule, value));
    }
    match rule.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => false,
    }
}

fn required(rule: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    let Some(object) = value.as_object() else { return };
    for key in rule.as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(key) {
            problems.push(format!("{path} has no {key}"));
        }
    }
}

fn items(root: &Value, keyword: &str, rule: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    let Some(array) = value.as_array() else { return };
    match keyword {
        "items" => {
            for (index, item) in array.iter().enumerate() {
                validate(root, rule, item, &format!("{path}[{index}]"), problems);
            }
        }
        "minItems" if (array.len() as u64) < rule.as_u64().unwrap_or(0) => {
            problems.push(format!("{path} has fewer than {rule} items"));
        }
        "uniqueItems" if rule == &Value::Bool(true) => {
            let twice = (0..array.len()).any(|at| array[..at].contains(&array[at]));
            if twice {
                problems.push(format!("{path} has an item twice"));
            }
        }
        _ => {}
    }
}

fn properties(
    root: &Value,
    rules: &Map<String, Value>,
    keyword: &str,
    rule: &Value,
    value: &Value,
    path: &str,
    problems: &mut Vec<String>,
) {
    let Some(object) = value.as_object() else { return };
    let known = rules.get("properties").and_then(Value::as_object);
    for (key, value) in object {
        let path = format!("{path}.{key}");
        match (keyword, known.and_then(|known| known.get(key))) {
            ("properties", Some(schema)) => validate(root, schema, value, &path, problems),
            ("additionalProperties", None) => validate(root, rule, value, &path, problems),
            _ => {}
        }
    }
}

fn choices(root: &Value, keyword: &str, rule: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    let attempts: Vec<Vec<String>> = rule
        .as_array()
        .into_iter()
        .flatten()
        .map(|choice| {
            let mut own = Vec::new();
            validate(root, choice, value, path, &mut own);
            own
        })
        .collect();
    let fitting = attempts.iter().filter(|own| own.is_empty()).count();
    if fitting == 0 || (keyword == "oneOf" && fitting > 1) {
        let closest = attempts.iter().min_by_key(|own| own.len()).cloned().unwrap_or_default();
        problems.push(format!("{path} fits {fitting} of the choices: {}", closest.join("; ")));
    }
}

#[test]
fn the_validator_sees_what_is_wrong_and_refuses_what_it_does_not_know() {
    let schema = r#"{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":1}},
        "additionalProperties":false}"#;
    assert_eq!(problems(schema, r#"{"a":1}"#), Vec::<String>::new());
    assert_eq!(problems(schema, r#"{"a":0}"#), ["$.a is below 1: 0"]);
    assert_eq!(problems(schema, r#"{"b":1}"#), ["$.b is not allowed", "$ has no a"]);
    assert_eq!(problems(r#"{"pattern":"x"}"#, "1"), ["$: the keyword pattern is not understood here"]);
}
