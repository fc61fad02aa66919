// Folds calls: steps of one thread that follow each other inside one call become one row, which can be opened. Rows and what is
// drawn behind them have fixed heights, so what is hidden moves the rest up by whole rows.
function foldsOf(story, rowsOf) {
  var HEIGHT = 26, lanes = story.section.querySelector('.lanes');
  var calls = JSON.parse(lanes.dataset.calls || '[]'), pieces = null;

  // The calls that a step lies in, the outermost first.
  function wayOf(row) {
    var way = [];
    for (var call = row.dataset.call; call !== undefined && call !== null; call = calls[call][2]) { way.unshift(Number(call)); }
    return way;
  }

  // What can be folded among some rows of a chunk, below so many calls.
  function find(rows, ways, from, to, depth) {
    var folds = [];
    for (var first = from, end; first < to; first = end) {
      end = first + 1;
      var call = ways[first][depth], lane = rows[first].dataset.lane;
      if (call === undefined) { continue; }
      while (end < to && ways[end][depth] === call && rows[end].dataset.lane === lane) { end += 1; }
      if (end - first < 2) { continue; }
      // A call that does nothing but another one is folded with it.
      var within = [call], deeper = depth + 1, all = ways.slice(first, end);
      while (all[0][deeper] !== undefined && all.every(function (way) { return way[deeper] === all[0][deeper]; })) {
        within.push(all[0][deeper]);
        deeper += 1;
      }
      folds.push({ first: first, end: end, within: within, open: false, head: null, folds: find(rows, ways, first, end, deeper) });
    }
    return folds;
  }

  function numberOf(row) { return row.id.slice(row.id.lastIndexOf('/') + 1); }

  function nameOf(fold) {
    return fold.within.map(function (call) { return calls[call][0]; }).join(' › ') + ': ' + (fold.end - fold.first) + ' steps';
  }

  // The row that stands for a call.
  function headOf(fold, rows) {
    var head = element('div', '', 'row fold'), first = rows[fold.first], last = rows[fold.end - 1];
    head.appendChild(element('span', numberOf(first) + '–' + numberOf(last), 'step'));
    head.appendChild(element('span', '', 'cell in' + first.dataset.lane)).appendChild(element('b'));
    head.appendChild(element('span', calls[fold.within[0]][1], 'where'));
    var note = head.appendChild(element('span', '', 'note'));
    for (var at = fold.first; at < fold.end; at += 1) {
      var said = rows[at].querySelector('.comment');
      if (said) { note.appendChild(element('i', 'step ' + numberOf(rows[at]) + ' ' + said.textContent, 'comment')); }
    }
    head.setAttribute('role', 'button');
    head.setAttribute('tabindex', '0');
    first.parentNode.insertBefore(head, first);
    return head;
  }

  function each(folds, visit) {
    folds.forEach(function (fold) { visit(fold); each(fold.folds, visit); });
  }

  // The folds of all chunks, found when they are first asked for.
  function make() {
    pieces = story.chunks.map(function (chunk) {
      var rows = Array.from(rowsOf(chunk)), ways = rows.map(wayOf);
      var piece = { chunk: chunk, rows: rows, folds: find(rows, ways, 0, rows.length, 0), drawn: [] };
      chunk.box.querySelectorAll('svg, svg path[d], svg circle').forEach(function (drawn) {
        ['height', 'd', 'cy'].forEach(function (name) {
          if (drawn.hasAttribute(name)) { piece.drawn.push({ element: drawn, name: name, value: drawn.getAttribute(name) }); }
        });
      });
      each(piece.folds, function (fold) {
        fold.head = headOf(fold, rows);
        fold.open = rows.slice(fold.first, fold.end).some(function (row) { return row.dataset.error; });
        fold.head.addEventListener('click', function () { turn(piece, fold); });
        fold.head.addEventListener('keydown', function (event) {
          if (event.key !== 'Enter' && event.key !== ' ') { return; }
          event.preventDefault();
          event.stopPropagation();
          turn(piece, fold);
        });
      });
      return piece;
    });
  }

  function turn(piece, fold) {
    fold.open = !fold.open;
    lay(piece);
    folds.turned();
  }

  // Puts every row and everything that is drawn where it belongs.
  function lay(piece) {
    var places = [], next = 0;
    // Rows that cannot be seen are where the call is that hides them.
    function put(list, from, to, seen, hidden) {
      for (var at = from, index = 0; at < to;) {
        var fold = list[index];
        if (fold && fold.first === at) {
          var place = seen ? next : hidden;
          fold.head.hidden = !(seen && folds.on);
          if (seen && folds.on) { next += 1; }
          fold.head.setAttribute('aria-expanded', String(fold.open));
          // An open call leaves the mark of a pre-emption to its step.
          var switches = !fold.open && piece.rows[fold.first].classList.contains('switch'), number = fold.head.firstChild;
          fold.head.classList.toggle('switch', switches);
          number.textContent = (switches ? '⇄ ' : '') + number.textContent.replace('⇄ ', '');
          fold.head.querySelector('b').textContent = (fold.open ? '▾ ' : '▸ ') + nameOf(fold);
          put(fold.folds, at, fold.end, seen && (fold.open || !folds.on), place);
          at = fold.end;
          index += 1;
        } else {
          piece.rows[at].hidden = !seen;
          places[at] = seen ? next : hidden;
          if (seen) { next += 1; }
          at += 1;
        }
      }
    }
    put(piece.folds, 0, piece.rows.length, true, 0);
    var count = piece.rows.length;
    function moved(y) {
      var row = Math.ceil(y / HEIGHT) - 1;
      if (row < 0) { return y; }
      return row < count ? places[row] * HEIGHT + y - row * HEIGHT : y + (next - count) * HEIGHT;
    }
    piece.chunk.box.style.height = next * HEIGHT + 'px';
    piece.drawn.forEach(function (drawn) {
      var value = drawn.name === 'd'
        ? drawn.value.replace(/(M[0-9]+ |V)(-?[0-9]+)/g, function (_, before, y) { return before + moved(Number(y)); })
        : moved(Number(drawn.value));
      drawn.element.setAttribute(drawn.name, value);
    });
  }

  // The folds that a step lies in, the outermost first, with their piece.
  function around(at) {
    var piece = pieces && pieces.find(function (piece) { return at < piece.chunk.start + piece.chunk.count; }), found = [];
    for (var list = piece ? piece.folds : []; list;) {
      var fold = list.find(function (fold) { return fold.first <= at - piece.chunk.start && at - piece.chunk.start < fold.end; });
      if (fold) { found.push({ fold: fold, piece: piece }); }
      list = fold && fold.folds;
    }
    return found;
  }

  function isClosed(each) { return !each.fold.open; }

  var folds = {
    on: false,
    has: calls.length > 0,
    turned: function () {},
    // Folds or unfolds all.
    set: function (on) {
      if (!pieces) { make(); }
      folds.on = on;
      pieces.forEach(lay);
    },
    // The closed call that hides a step: its first and last step and its row; nothing if the step can be seen.
    closed: function (at) {
      var hides = folds.on && around(at).find(isClosed);
      return hides && { first: hides.piece.chunk.start + hides.fold.first, last: hides.piece.chunk.start + hides.fold.end - 1,
                        head: hides.fold.head, name: nameOf(hides.fold) };
    },
    // Opens all calls that hide a step.
    show: function (at) {
      around(at).filter(isClosed).forEach(function (each) { each.fold.open = true; lay(each.piece); });
    },
    // Opens the call that hides a step.
    open: function (at) {
      var hides = around(at).find(isClosed);
      if (hides) { turn(hides.piece, hides.fold); }
      return Boolean(hides);
    },
    // Closes the innermost open call around a step.
    close: function (at) {
      var open = folds.closed(at) ? null : around(at).pop();
      if (open) { turn(open.piece, open.fold); }
      return Boolean(open);
    }
  };
  return folds;
}

