// Follows the step: everything on the page is there without this script. Text goes in as text only.
(function () {
  'use strict';
  var stories = Array.prototype.map.call(document.querySelectorAll('.finding'), function (section) {
    return { section: section, rows: Array.prototype.slice.call(section.querySelectorAll('.row[data-step]')),
             threads: Array.prototype.map.call(section.querySelectorAll('.thread'), function (head) { return head.textContent; }),
             at: -1, panel: null, lit: [], line: null };
  });
  if (!stories.length) { return; }
  var current = stories[0];

  function element(name, text, className) {
    var made = document.createElement(name);
    if (text) { made.textContent = text; }
    if (className) { made.className = className; }
    return made;
  }

  function panelOf(story) {
    if (!story.panel) {
      story.panel = element('div', '', 'now-panel');
      story.panel.setAttribute('aria-live', 'polite');
      var aside = story.section.querySelector('aside');
      aside.insertBefore(story.panel, aside.firstChild);
    }
    return story.panel;
  }

  function table(title, headings, lines) {
    var made = element('table', '', 'values');
    var head = made.appendChild(element('tr'));
    headings.forEach(function (heading) { head.appendChild(element('th', heading)); });
    lines.forEach(function (line) {
      var row = made.appendChild(element('tr'));
      line.cells.forEach(function (cell) { row.appendChild(element('td', cell, line.changed ? 'changed' : '')); });
    });
    made.setAttribute('aria-label', title);
    return made;
  }

  function describe(story) {
    var row = story.rows[story.at], panel = panelOf(story), data = row.dataset;
    panel.textContent = '';
    panel.appendChild(element('h3', 'Step ' + data.step + ' of ' + story.rows.length + ' · ' + story.threads[data.lane]));
    panel.appendChild(element('p', row.querySelector('b').textContent, 'mono'));
    ['.comment', '.why'].forEach(function (part) {
      var said = row.querySelector(part);
      if (said) { panel.appendChild(element('p', said.textContent, 'muted')); }
    });
    var values = new Map(), held = new Map();
    for (var index = 0; index <= story.at; index += 1) {
      var past = story.rows[index].dataset;
      if (past.what) { values.set(past.what, { cells: [past.what, past.before, past.after], changed: index === story.at }); }
      var holds = story.rows[index].querySelector('.holds');
      held.set(story.threads[past.lane], holds ? holds.textContent : '');
    }
    if (values.size) { panel.appendChild(table('values', ['changed so far', 'before', 'now'], Array.from(values.values()))); }
    var locks = [];
    held.forEach(function (holds, thread) { if (holds) { locks.push({ cells: [thread, holds], changed: false }); } });
    if (locks.length) { panel.appendChild(table('locks', ['thread', 'holds'], locks)); }
  }

  function follow(story) {
    var row = story.rows[story.at], data = row.dataset;
    story.lit.forEach(function (path) { path.classList.remove('lit'); });
    story.lit = Array.prototype.slice.call(
      story.section.querySelectorAll('path[data-to="' + data.step + '"],path[data-from="' + data.step + '"]'));
    story.lit.forEach(function (path) { path.classList.add('lit'); });
    if (story.line) { story.line.classList.remove('here'); }
    story.line = data.source ? document.getElementById(data.source) : null;
    if (story.line) {
      story.line.classList.add('here');
      var pane = story.line.closest('.source');
      pane.scrollTop = story.line.offsetTop - pane.offsetTop - pane.clientHeight / 3;
      var aside = pane.parentElement;
      if (aside.scrollHeight > aside.clientHeight) { aside.scrollTop = pane.offsetTop - aside.offsetTop - panelOf(story).offsetHeight - 10; }
    }
  }

  function select(story, at, scroll) {
    if (!story.rows.length) { return; }
    at = Math.max(0, Math.min(story.rows.length - 1, at));
    if (story.at >= 0) { story.rows[story.at].classList.remove('now'); story.rows[story.at].removeAttribute('aria-current'); }
    current = story;
    story.at = at;
    var row = story.rows[at];
    row.classList.add('now');
    row.setAttribute('aria-current', 'step');
    describe(story);
    follow(story);
    if (scroll) {
      row.scrollIntoView({ block: 'nearest' });
      history.replaceState(null, '', '#' + row.id);
    }
  }

  function show(story) {
    story.section.scrollIntoView();
    select(story, Math.max(0, story.at), false);
  }

  function firstError(story) {
    var at = story.rows.findIndex(function (row) { return row.dataset.error; });
    select(story, at < 0 ? story.rows.length - 1 : at, true);
  }

  function fromAddress() {
    var id = decodeURIComponent(location.hash.slice(1));
    var target = id && document.getElementById(id);
    var row = target && target.closest('.row[data-step]');
    if (row) {
      stories.forEach(function (story) {
        var at = story.rows.indexOf(row);
        if (at >= 0) { select(story, at, false); row.scrollIntoView({ block: 'center' }); }
      });
    }
  }

  document.addEventListener('keydown', function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(input|textarea|select)$/i.test(event.target.tagName)) { return; }
    var story = stories.indexOf(current), known = true;
    switch (event.key) {
      case 'j': case 'ArrowDown': select(current, current.at + 1, true); break;
      case 'k': case 'ArrowUp': select(current, current.at - 1, true); break;
      case 'Home': select(current, 0, true); break;
      case 'End': select(current, current.rows.length - 1, true); break;
      case 'n': show(stories[Math.min(stories.length - 1, story + 1)]); break;
      case 'p': show(stories[Math.max(0, story - 1)]); break;
      case 'e': firstError(current); break;
      default: known = false;
    }
    if (known) { event.preventDefault(); }
  });
  document.addEventListener('click', function (event) {
    var row = event.target.closest && event.target.closest('.row[data-step]');
    if (!row) { return; }
    event.preventDefault();
    stories.forEach(function (story) {
      var at = story.rows.indexOf(row);
      if (at >= 0) { select(story, at, true); }
    });
  });
  window.addEventListener('hashchange', fromAddress);
  document.documentElement.classList.add('scripted');
  stories.forEach(function (story) { select(story, 0, false); });
  current = stories[0];
  fromAddress();
})();
