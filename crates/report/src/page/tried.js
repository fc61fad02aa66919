// Shows the run of a box of the tree: a table with a column for each thread. Text goes in as text only.
function element(name, text, className) {
  var made = document.createElement(name);
  if (text) { made.textContent = text; }
  if (className) { made.className = className; }
  return made;
}

(function () {
  var picture = document.querySelector('.tried');
  if (!picture) { return; }
  var boxes = new Map(), panel = document.querySelector('.tried-run'), chosen = null;
  picture.querySelectorAll('a').forEach(function (box) { boxes.set(box.id, box); });
  function linesOf(name) { return document.querySelector(name).textContent.split('\n'); }
  var texts = linesOf('.tried-texts'), runs = linesOf('.tried-runs');

  function parentOf(box) { return boxes.get('tree/' + box.dataset.parent); }
  function titleOf(box) { return box.querySelector('title').textContent; }

  function runOf(box) {
    if (!box.dataset.run) { return null; }
    var parts = runs[Number(box.dataset.run)].split(';');
    return { number: Number(parts[0]), found: parts[1] === '1', leftOut: Number(parts[2]), end: texts[Number(parts[3])],
             threads: parts[4].split(' ').map(function (text) { return texts[Number(text)]; }),
             steps: parts[5] ? parts[5].split(' ') : [] };
  }

  // The numbers of the steps that were decided on the way to a box, with the box of each.
  function decisions(box) {
    var found = new Map();
    for (var at = box; at && parentOf(at); at = parentOf(at)) { found.set(Number(at.dataset.before), at); }
    return found;
  }

  function spanning(table, text, columns, className) {
    var row = table.appendChild(element('tr', '', className));
    row.appendChild(element('td'));
    row.appendChild(element('td', text)).colSpan = columns;
  }

  function rowOf(run, number, decided) {
    var parts = run.steps[number].split(','), preempts = parts[2].endsWith('!');
    var row = element('tr', '', decided ? 'decided' : '');
    row.appendChild(element('td', (preempts ? '⇄ ' : '') + (number + 1), preempts ? 'number switch' : 'number'));
    run.threads.forEach(function (_, thread) {
      row.appendChild(element('td', thread === Number(parts[0]) ? texts[Number(parts[1])] : '', 'does'));
    });
    row.appendChild(element('td', texts[parseInt(parts[2], 10)], 'muted'));
    row.appendChild(element('td', decided ? 'decision' : '', 'muted'));
    return row;
  }

  function tableOf(box, run) {
    var table = element('table', '', 'plain'), head = table.appendChild(element('tr')), columns = run.threads.length + 2;
    ['step'].concat(run.threads, ['where', '']).forEach(function (heading) { head.appendChild(element('th', heading)); });
    var before = Number(box.dataset.before), followed = box.dataset.followed && parentOf(box), decided = decisions(box);
    for (var number = 0; number < Math.min(before + (followed ? 1 : 0), run.steps.length); number += 1) {
      table.appendChild(rowOf(run, number, decided.get(number)));
    }
    if (!box.dataset.followed) {
      spanning(table, titleOf(box), columns, 'parts');
      return table;
    }
    if (number < run.steps.length) { spanning(table, continues(box, run), columns, 'parts'); }
    for (; number < run.steps.length; number += 1) { table.appendChild(rowOf(run, number, null)); }
    if (run.leftOut) { spanning(table, run.leftOut.toLocaleString('en') + ' more steps were not kept', columns, ''); }
    spanning(table, 'ends: ' + run.end, columns, run.found ? 'bad' : 'good');
    return table;
  }

  function continues(box, run) {
    var many = titleOf(box).match(/, ([0-9,]+) runs$/), number = run.number ? ': run ' + run.number.toLocaleString('en') : '';
    return (many && many[1] !== '0' ? 'how one of the ' + many[1] + ' runs that begin like this goes on' : 'how it goes on') + number;
  }

  function show(box) {
    var run = runOf(box);
    if (chosen) { chosen.removeAttribute('aria-current'); chosen.setAttribute('tabindex', '-1'); }
    chosen = box;
    box.setAttribute('aria-current', 'true');
    box.setAttribute('tabindex', '0');
    panel.textContent = '';
    panel.appendChild(element('h3', titleOf(box)));
    if (!run) {
      panel.appendChild(element('p', 'The steps of its runs were not kept; these decisions lead to it:', 'muted'));
      var list = panel.appendChild(element('ol')), way = [];
      for (var at = box; at; at = parentOf(at)) { way.unshift(titleOf(at)); }
      way.forEach(function (title) { list.appendChild(element('li', title)); });
      return;
    }
    var scroll = panel.appendChild(element('div', '', 'scroll'));
    scroll.appendChild(tableOf(box, run));
  }

  function choose(box, focus) {
    show(box);
    history.replaceState(null, '', '#' + box.id);
    if (focus) { box.focus(); }
  }

  function fromAddress() {
    var box = boxes.get(decodeURIComponent(location.hash.slice(1)));
    if (box) { show(box); picture.scrollIntoView({ block: 'nearest' }); panel.scrollIntoView({ block: 'nearest' }); }
  }

  // The next box to a side: siblings stand in the order in which they are drawn, from the left.
  function beside(box, side) {
    var level = box.querySelector('rect').getAttribute('y');
    function across(other) { return Number(other.querySelector('rect').getAttribute('x')); }
    var level_mates = Array.from(boxes.values()).filter(function (other) { return other.querySelector('rect').getAttribute('y') === level; });
    level_mates.sort(function (a, b) { return across(a) - across(b); });
    return level_mates[level_mates.indexOf(box) + side];
  }

  function below(box) {
    var children = Array.from(boxes.values()).filter(function (other) { return parentOf(other) === box; });
    children.sort(function (a, b) { return a.querySelector('rect').getAttribute('x') - b.querySelector('rect').getAttribute('x'); });
    return children[0];
  }

  picture.addEventListener('keydown', function (event) {
    var box = event.target.closest('a'), next = null;
    if (!box || event.ctrlKey || event.altKey || event.metaKey) { return; }
    switch (event.key) {
      case 'ArrowUp': next = parentOf(box); break;
      case 'ArrowDown': next = below(box); break;
      case 'ArrowLeft': next = beside(box, -1); break;
      case 'ArrowRight': next = beside(box, 1); break;
      case 'Enter': case ' ': next = box; choose(box, false); break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (next) { next.setAttribute('tabindex', '0'); next.focus(); if (next !== box) { box.setAttribute('tabindex', '-1'); } }
  });
  picture.addEventListener('click', function (event) {
    var box = event.target.closest('a');
    if (!box) { return; }
    event.preventDefault();
    choose(box, true);
  });
  document.addEventListener('keydown', function (event) {
    if (event.key !== 't' || event.ctrlKey || event.altKey || event.metaKey || /^(input|textarea|select)$/i.test(event.target.tagName)) { return; }
    picture.scrollIntoView({ block: 'nearest' });
    (chosen || boxes.values().next().value).focus();
    event.preventDefault();
  });

  // One box can be reached with the tab key, the others from there.
  boxes.forEach(function (box) { box.setAttribute('tabindex', '-1'); });
  boxes.values().next().value.setAttribute('tabindex', '0');
  window.addEventListener('hashchange', fromAddress);
  document.documentElement.classList.add('scripted');
  fromAddress();
})();

