// Follows the step: everything on the page is there without this script. Text goes in as text only; the rows that wait in
// `noscript` are markup of this very page, which was escaped when it was written.
(function () {
  var stories = Array.prototype.map.call(document.querySelectorAll('.finding'), function (section) {
    var story = { section: section, count: 0, at: -1, row: null, mark: null, panel: null, lit: [], line: null,
                  threads: Array.prototype.map.call(section.querySelectorAll('.thread'), function (head) { return head.textContent; }) };
    story.chunks = Array.prototype.map.call(section.querySelectorAll('.chunk'), function (box) {
      var chunk = { box: box, start: story.count, count: Number(box.dataset.count), first: Number(box.dataset.first), rows: null };
      story.count += chunk.count;
      return chunk;
    });
    story.folds = foldsOf(story, rowsOf);
    return story;
  });
  if (!stories.length) { return; }
  var current = stories[0], parser = new DOMParser();

  // The rows of a chunk, brought in if they were not.
  function rowsOf(chunk) {
    if (!chunk.rows) {
      var kept = chunk.box.querySelector('noscript');
      if (kept) { chunk.box.replaceChildren.apply(chunk.box, parser.parseFromString(kept.textContent, 'text/html').body.childNodes); }
      chunk.rows = chunk.box.querySelectorAll('.row');
    }
    return chunk.rows;
  }

  function chunkAt(story, at) {
    return story.chunks.find(function (chunk) { return at < chunk.start + chunk.count; });
  }

  // The number of the row of a step; a step that was left out has that of the one before it.
  function rowOfStep(story, step) {
    var chunks = story.chunks.filter(function (chunk) { return chunk.first <= step; });
    var chunk = chunks[chunks.length - 1];
    return chunk ? Math.min(chunk.start + chunk.count - 1, chunk.start + step - chunk.first) : 0;
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
    var row = story.row, panel = panelOf(story), data = row.dataset, chunk = chunkAt(story, story.at);
    panel.textContent = '';
    var closed = story.folds.closed(story.at);
    panel.appendChild(element('h3', (closed ? 'Up to step ' : 'Step ') + stepOf(row) + ' of ' + Number(story.section.dataset.steps).toLocaleString('en') + ' · ' + story.threads[data.lane]));
    panel.appendChild(element('p', closed ? closed.name : row.querySelector('b').textContent, 'mono'));
    ['.comment', '.why'].forEach(function (part) {
      var said = row.querySelector(part);
      if (said) { panel.appendChild(element('p', said.textContent, 'muted')); }
    });
    var values = new Map(), held = new Map();
    var before = JSON.parse(chunk.box.dataset.before || '{"values":[],"held":[]}');
    before.values.forEach(function (cells) { values.set(cells[0], { cells: cells, changed: false }); });
    before.held.forEach(function (pair) { held.set(story.threads[pair[0]], pair[1]); });
    for (var index = 0; index <= story.at - chunk.start; index += 1) {
      var past = rowsOf(chunk)[index].dataset;
      if (past.what) {
        values.delete(past.what);
        values.set(past.what, { cells: [past.what, past.before, past.after], changed: rowsOf(chunk)[index] === row });
      }
      var holds = rowsOf(chunk)[index].querySelector('.holds');
      held.set(story.threads[past.lane], holds ? holds.textContent : '');
    }
    var recent = Array.from(values.values()).slice(-12).reverse();
    if (recent.length) { panel.appendChild(table('values', ['changed last', 'before', 'now'], recent)); }
    var locks = [];
    held.forEach(function (holds, thread) { if (holds) { locks.push({ cells: [thread, holds], changed: false }); } });
    if (locks.length) { panel.appendChild(table('locks', ['thread', 'holds'], locks)); }
  }

  function stepOf(row) { return row.id.slice(row.id.lastIndexOf('/') + 1); }

  function follow(story) {
    var data = story.row.dataset, step = stepOf(story.row);
    story.lit.forEach(function (path) { path.classList.remove('lit'); });
    story.lit = Array.prototype.slice.call(
      story.section.querySelectorAll('path[data-to="' + step + '"],path[data-from="' + step + '"]'));
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

  // Looks at a step; whatever hides it is opened.
  function select(story, at, scroll) {
    story.folds.show(Math.max(0, Math.min(story.count - 1, at)));
    look(story, at, scroll);
  }

  // Looks at a step, or at the call that hides it.
  function look(story, at, scroll) {
    if (!story.count) { return; }
    at = Math.max(0, Math.min(story.count - 1, at));
    if (story.mark) { story.mark.classList.remove('now'); story.mark.removeAttribute('aria-current'); }
    current = story;
    story.at = at;
    var chunk = chunkAt(story, at), row = rowsOf(chunk)[at - chunk.start];
    var closed = story.folds.closed(at);
    story.row = row;
    story.mark = closed ? closed.head : row;
    story.mark.classList.add('now');
    story.mark.setAttribute('aria-current', 'step');
    describe(story);
    follow(story);
    if (scroll) {
      story.mark.scrollIntoView({ block: 'nearest' });
      history.replaceState(null, '', '#' + row.id);
    }
  }

  // Goes to the next row that can be seen; a closed call is one, and is left as its last step leaves it.
  function move(story, by) {
    var from = story.folds.closed(story.at), at = (by > 0 ? (from ? from.last : story.at) : (from ? from.first : story.at)) + by;
    if (at < 0 || at >= story.count) { return; }
    var to = story.folds.closed(at);
    look(story, to ? to.last : at, true);
  }

  function fold(story, on) {
    if (!story.folds.has) { return; }
    story.section.querySelector('.fold-calls').checked = on;
    story.folds.set(on);
    look(story, story.at, false);
    story.mark.scrollIntoView({ block: 'nearest' });
  }

  function show(story) {
    story.section.scrollIntoView();
    select(story, Math.max(0, story.at), false);
  }

  function firstError(story) {
    var chunk = story.chunks.find(function (chunk) { return chunk.box.dataset.error; });
    var at = chunk ? Array.prototype.findIndex.call(rowsOf(chunk), function (row) { return row.dataset.error; }) : -1;
    select(story, at < 0 ? story.count - 1 : chunk.start + at, true);
  }

  // The next step after this one whose row has the words, from the start again if there is none.
  function find(story, words) {
    for (var next = 1; words && next <= story.count; next += 1) {
      var at = (story.at + next) % story.count, chunk = chunkAt(story, at);
      if (rowsOf(chunk)[at - chunk.start].textContent.toLowerCase().includes(words.toLowerCase())) { return select(story, at, true); }
    }
  }

  // Opens or closes the run that passes, if there is one.
  function align(story) {
    var beside = story.section.querySelector('.beside');
    if (!beside) { return; }
    beside.open = !beside.open;
    beside.scrollIntoView({ block: 'nearest' });
  }

  function fromAddress() {
    var passing = /^(.+)\/passing$/.exec(decodeURIComponent(location.hash.slice(1)));
    if (passing) {
      stories.forEach(function (story) {
        var beside = story.section.querySelector('.beside');
        if (story.section.id === passing[1] && beside) { current = story; beside.open = true; beside.scrollIntoView(); }
      });
    }
    var parts = /^(?:(.+)\/step\/|step-)([0-9]+)$/.exec(decodeURIComponent(location.hash.slice(1)));
    if (!parts) { return; }
    stories.forEach(function (story, index) {
      if (parts[1] ? story.section.id === parts[1] : index === 0) {
        select(story, rowOfStep(story, Number(parts[2])), false);
        story.mark.scrollIntoView({ block: 'center' });
      }
    });
  }

  document.addEventListener('keydown', function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(input|textarea|select)$/i.test(event.target.tagName)) { return; }
    var story = stories.indexOf(current), known = true;
    switch (event.key) {
      case 'j': case 'ArrowDown': move(current, 1); break;
      case 'k': case 'ArrowUp': move(current, -1); break;
      case 'Home': select(current, 0, true); break;
      case 'End': select(current, current.count - 1, true); break;
      case 'n': show(stories[Math.min(stories.length - 1, story + 1)]); break;
      case 'p': show(stories[Math.max(0, story - 1)]); break;
      case 'e': firstError(current); break;
      case 'a': align(current); break;
      case 'f': fold(current, !current.folds.on); break;
      case 'ArrowRight': known = current.folds.on && current.folds.open(current.at); break;
      case 'ArrowLeft': known = current.folds.on && current.folds.close(current.at); break;
      case '/': current.section.querySelector('.find input').focus(); break;
      default: known = false;
    }
    if (known) { event.preventDefault(); }
  });
  stories.forEach(function (story) {
    story.section.querySelector('.find input').addEventListener('keydown', function (event) {
      if (event.key === 'Enter') { find(story, event.target.value); }
      if (event.key === 'Escape') { event.target.blur(); }
    });
    story.folds.turned = function () { look(story, story.at, false); };
    if (story.folds.has) {
      story.section.querySelector('.fold-calls').addEventListener('change', function (event) { fold(story, event.target.checked); });
    }
  });
  document.addEventListener('click', function (event) {
    var row = event.target.closest && event.target.closest('a.row');
    if (!row) { return; }
    event.preventDefault();
    stories.forEach(function (story) {
      if (story.section.contains(row)) { select(story, rowOfStep(story, Number(stepOf(row))), true); }
    });
  });

  // Chunks are brought in when they come near, and the others when there is time, so that a search in the page finds all.
  var later = [];
  stories.forEach(function (story) {
    later = later.concat(story.chunks.filter(function (chunk) { return chunk.box.querySelector('noscript'); }));
  });
  var near = new IntersectionObserver(function (seen) {
    seen.forEach(function (entry) {
      if (entry.isIntersecting) { later.forEach(function (chunk) { if (chunk.box === entry.target) { rowsOf(chunk); } }); }
    });
  }, { rootMargin: '1500px' });
  later.forEach(function (chunk) { near.observe(chunk.box); });
  function bring(deadline) {
    do {
      var chunk = later.shift();
      if (!chunk) { return; }
      near.unobserve(chunk.box);
      rowsOf(chunk);
    } while (deadline.timeRemaining() > 8);
    requestIdleCallback(bring);
  }
  window.addEventListener('load', function () { requestIdleCallback(bring); });
  window.addEventListener('beforeprint', function () { later.forEach(rowsOf); });
  window.addEventListener('hashchange', fromAddress);
  document.documentElement.classList.add('scripted');
  stories.forEach(function (story) { select(story, 0, false); });
  current = stories[0];
  fromAddress();
})();
