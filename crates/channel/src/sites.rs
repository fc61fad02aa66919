//! Places of C and C++ programs, each kept once and for ever, so that a place is one word.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use raddle_trace::Site;

/// More different places than any program has.
const MAX_SITES: usize = 1 << 20;

/// All sites and all texts met so far.
struct Kept {
    sites: BTreeMap<Site, &'static Site>,
    texts: BTreeMap<&'static str, ()>,
}

static KEPT: Mutex<Kept> = Mutex::new(Kept { sites: BTreeMap::new(), texts: BTreeMap::new() });

impl Kept {
    fn text(&mut self, text: &str) -> &'static str {
        if let Some((&known, ())) = self.texts.get_key_value(text) {
            return known;
        }
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        self.texts.insert(kept, ());
        kept
    }
}

/// The site with these facts ([`Site`]); `None` if there are more sites than can be kept.
#[must_use]
pub fn site(file: &str, function: &str, line: u32, column: u32, context: u32) -> Option<&'static Site> {
    // Only ever added to, so a thread that died in the middle has not spoiled it.
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let site = Site { file: kept.text(file), function: kept.text(function), line, column, context };
    if let Some(known) = kept.sites.get(&site) {
        return Some(known);
    }
    if kept.sites.len() >= MAX_SITES {
        return None;
    }
    let kept_site: &'static Site = Box::leak(Box::new(site));
    kept.sites.insert(site, kept_site);
    Some(kept_site)
}

/// The text, kept for ever.
#[must_use]
pub fn text(text: &str) -> &'static str {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).text(text)
}
