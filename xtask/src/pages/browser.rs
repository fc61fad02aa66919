//! Headless Chromium, told what to do over its debugging pipe: messages in JSON, each ended by a zero byte.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A running browser; it ends with this.
pub(super) struct Browser {
    process: Child,
    to: File,
    from: BufReader<File>,
    next: u64,
    /// What the browser said by itself.
    events: Vec<Value>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Starts the browser; its pipes are kept in the folder.
    pub(super) fn start(folder: &Path) -> Result<Browser, String> {
        let (to, from) = (folder.join("to-browser"), folder.join("from-browser"));
        let made = Command::new("mkfifo").args([&to, &from]).status();
        if !made.is_ok_and(|status| status.success()) {
            return Err("mkfifo failed".to_owned());
        }
        // The browser reads its commands from descriptor 3 and answers on 4.
        let script = "exec chromium --headless=new --no-sandbox --disable-gpu --disable-extensions \
            --no-first-run --hide-scrollbars --user-data-dir=\"$0/profile\" --remote-debugging-pipe \
            about:blank 3<\"$0/to-browser\" 4>\"$0/from-browser\"";
        let process = Command::new("sh")
            .args(["-c", script])
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let to = File::options().write(true).open(to).map_err(|error| error.to_string())?;
        let from = File::open(from).map_err(|error| error.to_string())?;
        Ok(Browser { process, to, from: BufReader::new(from), next: 0, events: Vec::new() })
    }

    /// A new tab.
    pub(super) fn tab(&mut self) -> Result<Tab<'_>, String> {
        let target = self.ask("Target.createTarget", json!({ "url": "about:blank" }), None)?;
        let target = target["targetId"].clone();
        let session =
            self.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }), None)?;
        let session = session["sessionId"].as_str().unwrap_or_default().to_owned();
        self.events.clear();
        let mut tab = Tab { browser: self, session, target, scripts: true };
        for domain in ["Page", "Runtime", "Network", "Log"] {
            tab.call(&format!("{domain}.enable"), json!({}))?;
        }
        // The time that the page's thread was busy does not depend on what else the machine does.
        tab.call("Performance.enable", json!({ "timeDomain": "threadTicks" }))?;
        let size = json!({ "width": 1600, "height": 1200, "deviceScaleFactor": 1, "mobile": false });
        tab.call("Emulation.setDeviceMetricsOverride", size)?;
        Ok(tab)
    }

    fn ask(&mut self, method: &str, parameters: Value, session: Option<&str>) -> Result<Value, String> {
        self.next += 1;
        let number = self.next;
        let mut message = json!({ "id": number, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = Value::from(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).map_err(|error| format!("the browser does not listen: {error}"))?;
        loop {
            let answer = self.read()?;
            if answer["id"] != number {
                self.events.push(answer);
            } else if answer["error"].is_null() {
                return Ok(answer["result"].clone());
            } else {
                return Err(format!("{method}: {}", answer["error"]["message"]));
            }
        }
    }

    fn read(&mut self) -> Result<Value, String> {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).map_err(|error| error.to_string())?;
        if bytes.pop() != Some(0) {
            return Err("the browser has ended".to_owned());
        }
        serde_json::from_slice(&bytes).map_err(|error| format!("the browser does not speak JSON: {error}"))
    }
}

/// One tab of the browser.
pub(super) struct Tab<'a> {
    browser: &'a mut Browser,
    session: String,
    target: Value,
    /// Whether pages may run scripts.
    scripts: bool,
}

impl Tab<'_> {
    pub(super) fn call(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.browser.ask(method, parameters, Some(&self.session))
    }

    /// Opens an address and waits until it has been loaded.
    pub(super) fn open(&mut self, address: &str) -> Result<(), String> {
        let loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        self.browser.events.retain(|event| !loaded(event));
        self.call("Page.navigate", json!({ "url": address }))?;
        while !self.browser.events.iter().any(loaded) {
            let event = self.browser.read()?;
            self.browser.events.push(event);
        }
        self.settle()
    }

    /// Waits until everything that was asked for has been drawn.
    pub(super) fn settle(&mut self) -> Result<(), String> {
        // Nothing calls back where no script runs.
        if !self.scripts {
            return Ok(());
        }
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")?;
        Ok(())
    }

    /// Switches the scripts of pages off.
    pub(super) fn without_scripts(&mut self) -> Result<(), String> {
        self.scripts = false;
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }))?;
        Ok(())
    }

    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expression: &str) -> Result<Value, String> {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", parameters)?;
        match &answer["exceptionDetails"] {
            Value::Null => Ok(answer["result"]["value"].clone()),
            exception => Err(format!("`{expression}` failed: {exception}")),
        }
    }

    /// How long the page's own thread has been busy, in milliseconds.
    pub(super) fn busy(&mut self) -> Result<f64, String> {
        let answer = self.call("Performance.getMetrics", json!({}))?;
        let metrics = answer["metrics"].as_array().cloned().unwrap_or_default();
        let task = metrics.iter().find(|metric| metric["name"] == "TaskDuration");
        Ok(task.and_then(|metric| metric["value"].as_f64()).unwrap_or(f64::NAN) * 1_000.0)
    }

    /// Presses a key.
    pub(super) fn press(&mut self, key: &str) -> Result<(), String> {
        let text = if key.len() == 1 { json!(key) } else { json!("") };
        let down = if key.len() == 1 { "keyDown" } else { "rawKeyDown" };
        self.call("Input.dispatchKeyEvent", json!({ "type": down, "key": key, "text": text }))?;
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }))?;
        Ok(())
    }

    /// Takes a picture of what is seen.
    pub(super) fn picture(&mut self, path: &Path) -> Result<(), String> {
        self.settle()?;
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        let bytes = decoded(answer["data"].as_str().unwrap_or_default());
        std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Script errors, refusals of the policy, and requests to anything but this address.
    pub(super) fn trouble(&self, address: &str) -> Vec<String> {
        let mut trouble = Vec::new();
        for event in &self.browser.events {
            let facts = &event["params"];
            match event["method"].as_str() {
                Some("Runtime.exceptionThrown") => {
                    trouble.push(format!("script error: {}", facts["exceptionDetails"]))
                }
                Some("Log.entryAdded") if facts["entry"]["level"] == "error" => {
                    trouble.push(format!("the browser complains: {}", facts["entry"]["text"]));
                }
                Some("Network.requestWillBeSent") => {
                    let asked = facts["request"]["url"].as_str().unwrap_or_default();
                    if asked.split('#').next() != Some(address) {
                        trouble.push(format!("a request to {asked}"));
                    }
                }
                _ => {}
            }
        }
        trouble
    }

    pub(super) fn close(self) -> Result<(), String> {
        let target = self.target.clone();
        self.browser.ask("Target.closeTarget", json!({ "targetId": target }), None)?;
        Ok(())
    }
}

/// Base64, as the browser writes it.
fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => Some(u32::from(letter - b'A')),
        b'a'..=b'z' => Some(u32::from(letter - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(letter - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.bytes().filter_map(value) {
        bits = bits << 6 | letter;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn pictures_are_decoded() {
        assert_eq!(decoded("cmFkZGxl"), b"raddle");
        assert_eq!(decoded("cmFkZA=="), b"radd");
    }
}
