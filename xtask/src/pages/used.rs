//! What a reader does with a page: keys, links, and what opens and closes.

use super::browser::Tab;
use super::{count, expect};

/// Moves with the keyboard alone.
pub(super) fn keys(tab: &mut Tab<'_>, problems: &mut Vec<String>) -> Result<(), String> {
    for key in ["j", "ArrowDown", "k"] {
        tab.press(key)?;
    }
    expect(
        tab,
        "location.hash.endsWith('/step/2') || document.querySelectorAll('a.row').length < 3",
        "j, down and k move the step",
        problems,
    )?;
    tab.press("e")?;
    expect(tab, "document.querySelector('.row.now') !== null", "e goes to the error", problems)?;
    tab.press("n")?;
    tab.press("p")?;
    tab.press("/")?;
    expect(tab, "document.activeElement.type === 'search'", "/ goes to the search", problems)?;
    tab.press("Escape")?;
    Ok(())
}

/// Opens the run that passes beside the finding, by the keyboard and by its link, and leaves it open for the pictures.
pub(super) fn passing(tab: &mut Tab<'_>, problems: &mut Vec<String>) -> Result<(), String> {
    if count(tab, ".beside")? == 0 {
        return Ok(());
    }
    let open = "document.querySelector('.beside').open";
    tab.press("a")?;
    expect(tab, open, "a opens the run that passes", problems)?;
    expect(
        tab,
        "document.querySelector('.beside .parts').getBoundingClientRect().height > 0",
        "the parting can be seen",
        problems,
    )?;
    tab.press("a")?;
    expect(tab, &format!("!{open}"), "a closes it again", problems)?;
    tab.evaluate("location.hash = '#' + document.querySelector('.beside').id; 0")?;
    tab.settle()?;
    expect(tab, open, "a link leads to the run that passes", problems)
}

/// Goes to the tree, moves in it and shows runs, by the keyboard, by a click and by a link; leaves a run for the pictures.
pub(super) fn tree(tab: &mut Tab<'_>, problems: &mut Vec<String>) -> Result<(), String> {
    if count(tab, ".tried")? == 0 {
        return Ok(());
    }
    let rows = "document.querySelectorAll('.tried-run tr').length";
    tab.press("t")?;
    tab.press("ArrowDown")?;
    tab.press("ArrowRight")?;
    tab.press("ArrowLeft")?;
    expect(tab, &format!("{rows} === 0"), "moving in the tree shows no run yet", problems)?;
    tab.press("Enter")?;
    expect(
        tab,
        &format!(
            "location.hash === '#' + document.activeElement.id && document.activeElement.dataset.parent === '0' && {rows} > 3"
        ),
        "Enter shows the run of a box below the first",
        problems,
    )?;
    // A click and a link on every box: what is shown is its own.
    let shows = "const shown = document.querySelector('.tried-run h3').textContent === box.querySelector('title').textContent \
         && document.querySelectorAll('.tried-run .decided').length <= Number(box.dataset.before) + 1 \
         && (document.querySelectorAll('.tried-run tr').length > 1 || document.querySelectorAll('.tried-run li').length > 0);";
    expect(
        tab,
        &format!(
            "Array.from(document.querySelectorAll('.tried a')).every((box) => {{ \
             box.dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true }})); {shows} \
             return shown && location.hash === '#' + box.id && document.querySelectorAll('.tried [aria-current]').length === 1; }})"
        ),
        "a click on a box shows its run",
        problems,
    )?;
    tab.evaluate("location.hash = '#tree/2'; 0")?;
    tab.settle()?;
    expect(
        tab,
        &format!("(() => {{ const box = document.getElementById('tree/2'); {shows} return shown; }})()"),
        "a link leads to the run of a box",
        problems,
    )
}

/// Folds calls, opens and closes them, by the keyboard, by a click and by a link; leaves them folded for the pictures.
pub(super) fn folds(tab: &mut Tab<'_>, problems: &mut Vec<String>) -> Result<(), String> {
    if count(tab, ".fold-calls")? == 0 {
        return Ok(());
    }
    let seen = "Array.from(document.querySelectorAll('.chunk .row')).filter((row) => row.getBoundingClientRect().height > 0)";
    let fits = format!(
        "Array.from(document.querySelectorAll('.chunk')).every((chunk) => chunk.clientHeight === \
         26 * Array.from(chunk.querySelectorAll('.row')).filter((row) => !row.hidden).length) && {seen}.length"
    );
    let all = count(tab, "a.row")?;
    tab.press("Home")?;
    tab.press("f")?;
    expect(tab, &format!("{fits} < {all}"), "f folds calls", problems)?;
    // Every dot is in the middle of a row that can be seen.
    expect(
        tab,
        &format!(
            "(() => {{ const rows = {seen}.map((row) => row.offsetTop + 13); \
             return Array.from(document.querySelectorAll('.rim')).every((rim) => \
             rim.getAttribute('d').match(/M[0-9]+ [0-9]+/g).every((dot) => rows.includes(Number(dot.split(' ')[1])))); }})()"
        ),
        "what is drawn moves with the rows",
        problems,
    )?;
    tab.press("j")?;
    expect(
        tab,
        "document.querySelector('.row.now').classList.contains('fold')",
        "j goes to a folded call",
        problems,
    )?;
    tab.press("ArrowRight")?;
    expect(
        tab,
        "!document.querySelector('.row.now').classList.contains('fold')",
        "the right arrow opens it",
        problems,
    )?;
    tab.press("ArrowLeft")?;
    expect(
        tab,
        "document.querySelector('.row.now').classList.contains('fold')",
        "the left arrow closes it",
        problems,
    )?;
    expect(
        tab,
        "(() => { const head = document.querySelector('.fold'); head.click(); const open = head.getAttribute('aria-expanded'); \
         head.click(); return open === 'true' && head.getAttribute('aria-expanded') === 'false'; })()",
        "a click opens and closes a call",
        problems,
    )?;
    tab.evaluate(
        "location.hash = '#' + Array.from(document.querySelectorAll('a.row')).find((row) => row.hidden).id; 0",
    )?;
    tab.settle()?;
    expect(
        tab,
        "!document.querySelector('.row.now').classList.contains('fold') && !document.querySelector('.row.now').hidden",
        "a link to a step opens the call that hides it",
        problems,
    )?;
    tab.press("f")?;
    expect(tab, &format!("{fits} === {all}"), "f shows all again", problems)?;
    tab.press("f")
}
