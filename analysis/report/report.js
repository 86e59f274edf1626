'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#b8a900', '#888888'];
const dashes = ['', '7 3', '2 3', '9 3 2 3'];
const schedules = [...new Set(data.runs.map((run) => run.schedule))];
const colourOf = (schedule) => colours[schedules.indexOf(schedule) % colours.length];
const dashOf = (schedule) =>
  dashes[Math.floor(schedules.indexOf(schedule) / colours.length) % dashes.length];
const significant = (value, digits = 4) =>
  value === null ? '–' : Number(Number(value).toPrecision(digits)).toLocaleString('en');

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function options(select, entries, chosen) {
  for (const [value, text] of entries) {
    const option = element('option', {value}, text);
    if (value === chosen) option.selected = true;
    select.append(option);
  }
}

// Header and answer.
byId('title').textContent = data.scenario;
byId('description').textContent = data.description;
byId('question').textContent = data.question;
for (const answer of data.answers) byId('answers').append(element('li', {}, answer));
for (const note of data.notes) byId('notes').append(element('p', {class: 'note'}, note));
byId('footer').textContent =
  `Written by gyre ${data.version}, fidelity ${data.fidelity}. This file needs no network.`;

// Ranking: every cell as in summary.csv; numbers are shown with fewer digits, in full on hover.
const isText = (column) => column.unit === '-';
function cellOf(column, value) {
  const cell = element('td', {title: value});
  if (isText(column)) cell.className = 'text';
  const number = value !== '' && !isNaN(value);
  cell.textContent = number && !isText(column) ? significant(value) : value === '' ? '–' : value;
  cell.dataset.value = value;
  return cell;
}
const ranking = {sort: null, down: false};
function drawRanking() {
  const mode = byId('ranking-mode').value;
  const modeAt = data.summary.columns.findIndex((column) => column.name === 'mode');
  let rows = data.summary.rows.filter((row) => mode === 'all' || row[modeAt] === mode);
  if (ranking.sort !== null) {
    const at = ranking.sort;
    rows = [...rows].sort((a, b) => {
      if ((a[at] === '') !== (b[at] === '')) return a[at] === '' ? 1 : -1;  // none comes last
      const numbers = a[at] !== '' && !isNaN(a[at]) && !isNaN(b[at]);
      const order = numbers ? a[at] - b[at] : a[at].localeCompare(b[at]);
      return ranking.down ? -order : order;
    });
  }
  const head = element('tr');
  data.summary.columns.forEach((column, at) => {
    const unit = column.unit === '-' || column.unit === '1' ? '' : ` (${column.unit})`;
    const button = element('button', {type: 'button', title: column.definition},
      column.name.replace(/_(s|gb)$/, '').replaceAll('_', ' ') + unit);
    button.addEventListener('click', () => {
      ranking.down = ranking.sort === at && !ranking.down;
      ranking.sort = at;
      drawRanking();
      byId('summary').querySelectorAll('th button')[at].focus();
    });
    const heading = element('th', {scope: 'col'}, button);
    if (isText(column)) heading.className = 'text';
    if (ranking.sort === at) {
      heading.setAttribute('aria-sort', ranking.down ? 'descending' : 'ascending');
    }
    head.append(heading);
  });
  const statusAt = data.summary.columns.findIndex((column) => column.name === 'status');
  const body = element('tbody');
  for (const row of rows) {
    const line = element('tr', row[statusAt] === 'complete' ? {} : {class: 'bad'});
    row.forEach((value, at) => line.append(cellOf(data.summary.columns[at], value)));
    body.append(line);
  }
  byId('summary').replaceChildren(element('thead', {}, head), body);
}
options(byId('ranking-mode'), [['all', 'all'], ...data.modes.map((mode) => [mode, mode])], 'all');
byId('ranking-mode').addEventListener('change', drawRanking);
drawRanking();

// Curves.
const hidden = new Set();
const tip = element('div', {class: 'tip'});
byId('curves-chart').append(tip);
byId('curves-h').textContent =
  `${data.quantity === 'accuracy' ? 'Accuracy' : 'Loss'} of the average model over simulated time`;
// Charts are drawn as wide as the page is, so that their letters stay as large as the text.
const widthOf = (id) => Math.max(320, Math.min(1120, byId(id).clientWidth));
function drawCurves() {
  const width = widthOf('curves-chart');
  const height = Math.max(280, Math.min(440, 0.55 * width));
  const margin = {left: 62, right: 16, top: 12, bottom: 46};
  const mode = byId('curves-mode').value;
  const logarithmic = byId('curves-log').checked;
  const shown = data.runs.filter((run) => run.mode === mode && !hidden.has(run.schedule) &&
    run.trace.length > 0);
  const all = shown.flatMap((run) => run.trace);
  byId('curves-chart').querySelectorAll('svg, p').forEach((old) => old.remove());
  if (all.length === 0) {
    byId('curves-chart').prepend(element('p', {}, 'No curve to show.'));
    return;
  }
  const times = all.map((point) => point[0]).filter((time) => time > 0);
  const x = logarithmic
    ? d3.scaleLog().domain([d3.min(times) || 1, d3.max(times) || 10])
    : d3.scaleLinear().domain([0, d3.max(times) || 1]);
  x.range([margin.left, width - margin.right]).clamp(true);
  const values = all.map((point) => point[1]).concat(data.target === null ? [] : [data.target]);
  const y = d3.scaleLinear().domain(d3.extent(values)).nice()
    .range([height - margin.bottom, margin.top]);
  const svg = d3.select(byId('curves-chart')).insert('svg', ':first-child')
    .attr('viewBox', `0 0 ${width} ${height}`).attr('role', 'img')
    .attr('aria-label', `${data.quantity} over simulated time in mode ${mode}; ` +
      'the times to the target stand in the ranking');
  svg.append('g').attr('class', 'grid').attr('transform', `translate(${margin.left},0)`)
    .call(d3.axisLeft(y).ticks(6).tickSize(-(width - margin.left - margin.right)).tickFormat(''))
    .select('.domain').remove();
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${height - margin.bottom})`)
    .call(d3.axisBottom(x).ticks(width / 100, logarithmic ? '~s' : undefined));
  svg.append('g').attr('class', 'axis').attr('transform', `translate(${margin.left},0)`)
    .call(d3.axisLeft(y).ticks(6));
  svg.append('text').attr('x', (margin.left + width) / 2).attr('y', height - 8)
    .attr('text-anchor', 'middle').text('simulated time (s)');
  svg.append('text').attr('transform', `translate(15,${(height - margin.bottom) / 2}) rotate(-90)`)
    .attr('text-anchor', 'middle').text(data.quantity);
  if (data.target !== null) {
    svg.append('line').attr('class', 'target').attr('x1', margin.left)
      .attr('x2', width - margin.right).attr('y1', y(data.target)).attr('y2', y(data.target));
    svg.append('text').attr('x', width - margin.right).attr('y', y(data.target) - 5)
      .attr('text-anchor', 'end').text(`target ${data.target}`);
  }
  const line = d3.line().x((point) => x(Math.max(point[0], x.domain()[0]))).y((point) => y(point[1]));
  for (const run of shown) {
    svg.append('path').attr('class', 'curve').attr('data-run', run.id).attr('fill', 'none')
      .attr('stroke', colourOf(run.schedule)).attr('stroke-width', 2)
      .attr('stroke-dasharray', dashOf(run.schedule)).attr('d', line(run.trace));
  }
  const cursor = svg.append('line').attr('class', 'target').attr('y1', margin.top)
    .attr('y2', height - margin.bottom).style('display', 'none');
  svg.append('rect').attr('x', margin.left).attr('y', margin.top)
    .attr('width', width - margin.left - margin.right)
    .attr('height', height - margin.top - margin.bottom).attr('fill', 'transparent')
    .on('mousemove', function () {
      const [px, py] = d3.mouse(this);
      const time = x.invert(px);
      cursor.style('display', null).attr('x1', px).attr('x2', px);
      const near = shown.map((run) => {
        let last = run.trace[0];
        for (const point of run.trace) if (point[0] <= time) last = point;
        return {run, value: last[1], away: Math.abs(y(last[1]) - py)};
      }).sort((a, b) => a.away - b.away).slice(0, 4);
      tip.replaceChildren(element('strong', {}, `${significant(time)} s`),
        ...near.map(({run, value}) => element('div', {},
          `${run.schedule}${data.seeds > 1 ? `, seed ${run.seed}` : ''}: ${significant(value)}`)));
      const box = byId('curves-chart').getBoundingClientRect();
      const scale = box.width / width;
      tip.style.display = 'block';
      tip.style.left = `${Math.min(px * scale + 14, Math.max(0, box.width - tip.offsetWidth))}px`;
      tip.style.top = `${py * scale + 14}px`;
    })
    .on('mouseleave', () => {
      cursor.style('display', 'none');
      tip.style.display = 'none';
    });
}
options(byId('curves-mode'), data.modes.map((mode) => [mode, mode]), data.modes[data.modes.length - 1]);
byId('curves-mode').addEventListener('change', drawCurves);
byId('curves-log').addEventListener('change', drawCurves);
for (const schedule of schedules) {
  const box = element('input', {type: 'checkbox', 'data-schedule': schedule});
  box.checked = true;
  box.addEventListener('change', () => {
    if (box.checked) hidden.delete(schedule); else hidden.add(schedule);
    drawCurves();
  });
  const label = element('label', {}, box);
  d3.select(label).append('svg').attr('viewBox', '0 0 34 12').attr('aria-hidden', 'true')
    .append('line').attr('x1', 0).attr('x2', 34).attr('y1', 6).attr('y2', 6)
    .attr('stroke', colourOf(schedule)).attr('stroke-width', 3)
    .attr('stroke-dasharray', dashOf(schedule));
  label.append(schedule);
  byId('curves-legend').append(label);
}
drawCurves();

// Runs to choose from: those over the map first.
const runName = (run) =>
  `${run.schedule}, ${run.mode}${data.seeds > 1 ? `, seed ${run.seed}` : ''}`;
const runEntries = data.runs.map((run, index) => [String(index), runName(run)]);
const firstOnMap = String(Math.max(0, data.runs.findIndex((run) => run.rounds.some((round) =>
  round.cliques.length > 1))));
for (const id of ['map-run', 'timeline-run', 'links-run']) {
  options(byId(id), runEntries, firstOnMap);
}

// Map.
const mapSize = {width: 900, height: 430};
let places = [];
let labelPlaces = [];
const neighbours = data.map.switches.map(() => []);
data.map.links.forEach(([a, b, ms]) => {
  neighbours[a].push([b, ms]);
  neighbours[b].push([a, ms]);
});
function waysFrom(root) {
  const away = data.map.switches.map(() => Infinity);
  const from = data.map.switches.map(() => -1);
  const open = new Set(data.map.switches.keys());
  away[root] = 0;
  while (open.size > 0) {
    let at = -1;
    for (const node of open) if (at < 0 || away[node] < away[at]) at = node;
    open.delete(at);
    for (const [to, ms] of neighbours[at]) {
      if (away[at] + ms < away[to]) {
        away[to] = away[at] + ms;
        from[to] = at;
      }
    }
  }
  return from;
}
// The links that the plan's trees take; else those of least latency, to the island that hears.
function waysOf(clique, ways) {
  if (Array.isArray(ways)) return ways.map((link) => data.map.links[link]);
  const root = atOf[clique.includes(ways) ? ways : clique[0]];
  const from = waysFrom(root);
  const drawn = new Map();
  for (const member of clique) {
    for (let node = atOf[member]; node !== root && from[node] >= 0; node = from[node]) {
      drawn.set(node, [node, from[node]]);
    }
  }
  return [...drawn.values()];
}
// Labels beside their switches, where they cover least of the others and of the switches.
function placeMap() {
  mapSize.width = widthOf('map-chart');
  mapSize.height = Math.max(260, 0.48 * mapSize.width);
  places = data.map.switches.map(([, x, y]) => [x * mapSize.width, y * mapSize.height]);
  labelPlaces = [];
  const taken = places.map(([x, y]) => [x - 8, y - 8, x + 8, y + 8]);
  data.map.switches.forEach(([name], index) => placeLabel(name, index, taken));
}
function placeLabel(name, index, taken) {
  const [x, y] = places[index];
  const long = 8 * name.length + 4;
  const tries = [[11, -8, 'start'], [11, 14, 'start'], [-11, -8, 'end'], [-11, 14, 'end'],
    [0, -13, 'middle'], [0, 23, 'middle'], [14, 4, 'start'], [-14, 4, 'end']];
  let best = null;
  for (const [dx, dy, anchor] of tries) {
    const left = x + dx - (anchor === 'end' ? long : anchor === 'middle' ? long / 2 : 0);
    const box = [left, y + dy - 12, left + long, y + dy + 3];
    let covered = 100 * Math.max(0, -box[0], box[2] - mapSize.width);
    for (const other of taken) {
      covered += Math.max(0, Math.min(box[2], other[2]) - Math.max(box[0], other[0])) *
        Math.max(0, Math.min(box[3], other[3]) - Math.max(box[1], other[1]));
    }
    if (best === null || covered < best.covered) {
      best = {covered, box, x: x + dx, y: y + dy, anchor};
    }
  }
  taken.push(best.box);
  labelPlaces.push(best);
}
const atOf = Object.fromEntries(data.map.islands.map(([name, at]) => [name, at]));
let playing = null;
function drawMap() {
  placeMap();
  const run = data.runs[byId('map-run').value];
  const slider = byId('map-round');
  slider.max = Math.max(0, run.rounds.length - 1);
  const round = run.rounds[Math.min(slider.value, slider.max)];
  byId('map-chart').replaceChildren();
  byId('map-number').textContent = round ? `${round.number}, begins at ${significant(round.start)} s` : '';
  if (data.map.switches.length === 0) {
    byId('map-text').textContent = 'This folder does not say what its map is.';
    return;
  }
  const svg = d3.select(byId('map-chart')).append('svg')
    .attr('viewBox', `0 0 ${mapSize.width} ${mapSize.height}`).attr('role', 'img')
    .attr('aria-label', 'Map of the islands; the cliques of the round stand below it in words');
  if (data.map.placed) {
    for (const [x1, y1, x2, y2] of data.map.graticule) {
      svg.append('line').attr('class', 'graticule').attr('x1', x1 * mapSize.width)
        .attr('x2', x2 * mapSize.width).attr('y1', y1 * mapSize.height)
        .attr('y2', y2 * mapSize.height);
    }
  }
  data.map.links.forEach(([a, b], index) => {
    const use = run.links[index] || 0;
    svg.append('line').attr('class', 'link').attr('x1', places[a][0]).attr('y1', places[a][1])
      .attr('x2', places[b][0]).attr('y2', places[b][1]).attr('stroke-width', 1 + 9 * use)
      .append('title').text(`${data.map.switches[a][0]} – ${data.map.switches[b][0]}: ` +
        `${significant(100 * use, 3)} % of its capacity in the mean`);
  });
  const groups = round ? round.cliques : [];
  groups.forEach((clique, index) => {
    for (const [a, b] of waysOf(clique, round.ways[index])) {
      const dx = places[b][1] - places[a][1];
      const dy = places[a][0] - places[b][0];
      const length = Math.hypot(dx, dy) || 1;
      const shift = round.overlay ? 0 : (index - (groups.length - 1) / 2) * 5;  // cliques that share a way lie side by side
      const sign = a < b ? 1 : -1;
      svg.append('line').attr('class', 'way')
        .attr('stroke', colours[round.overlay ? 0 : index % colours.length])
        .attr('stroke-dasharray', dashes[Math.floor(index / colours.length) % dashes.length])
        .attr('x1', places[a][0] + sign * shift * dx / length)
        .attr('y1', places[a][1] + sign * shift * dy / length)
        .attr('x2', places[b][0] + sign * shift * dx / length)
        .attr('y2', places[b][1] + sign * shift * dy / length);
    }
  });
  const many = data.map.switches.length > 40;
  data.map.switches.forEach(([name], index) => {
    const here = data.map.islands.filter(([, at]) => at === index).map(([island]) => island);
    const group = groups.findIndex((clique) => clique.some((island) => here.includes(island)));
    svg.append('circle').attr('cx', places[index][0]).attr('cy', places[index][1])
      .attr('r', here.length > 0 ? (many ? 4 : 7) : 3)
      .attr('fill', group < 0 ? 'var(--soft)' : colours[round.overlay ? 0 : group % colours.length])
      .attr('stroke', 'var(--paper)').attr('stroke-width', 2)
      .append('title').text(here.length > 0 ? `${name}: ${here.join(', ')}` : name);
    if (!many) {
      const {x, y, anchor} = labelPlaces[index];
      svg.append('text').attr('class', 'halo').attr('x', x).attr('y', y)
        .attr('text-anchor', anchor).text(name);
    }
  });
  byId('map-text').textContent = run.colocated ? 'In one data centre nothing crosses the map.'
    : !round ? 'This run ended no round.'
    : groups.length === 0 ? `Round ${round.number}: nobody exchanges.`
      : `Round ${round.number}${round.overlay ? ', islands with those they hear from' : ''}: ` +
        groups.map((clique) => clique.join('+')).join(' | ');
}
function stopPlaying() {
  clearInterval(playing);
  playing = null;
  byId('map-play').textContent = 'Play';
  byId('map-play').setAttribute('aria-pressed', 'false');
}
function step(by) {
  const slider = byId('map-round');
  const count = Number(slider.max) + 1;
  slider.value = (Number(slider.value) + by + count) % count;
  drawMap();
}
byId('map-hint').textContent =
  'A link is as wide as its mean utilisation in the whole run. Colours mark the cliques of the round; ' +
  'the coloured links are those that the trees of their exchange take (of overlays: those of least latency). ' +
  (data.roundsShown > 0 ? `The first ${data.roundsShown} rounds of a run are kept here. ` : '') +
  (data.map.placed ? '' : 'The map has no coordinates: its switches are drawn on a circle.');
byId('map-run').addEventListener('change', () => {
  byId('map-round').value = 0;
  drawMap();
});
byId('map-round').addEventListener('input', drawMap);
byId('map-next').addEventListener('click', () => step(1));
byId('map-back').addEventListener('click', () => step(-1));
byId('map-play').addEventListener('click', () => {
  if (playing !== null) {
    stopPlaying();
    return;
  }
  playing = setInterval(() => step(1), 900);
  byId('map-play').textContent = 'Pause';
  byId('map-play').setAttribute('aria-pressed', 'true');
});
drawMap();

// Timeline.
const activities = ['compute', 'wait', 'exchange'];
for (const activity of activities) {
  const swatch = element('span', {style: `background:var(--${activity})`, 'aria-hidden': 'true'});
  byId('timeline-key').append(element('li', {}, swatch, activity));
}
function table(id, heads, rows, texts = 1) {
  const head = element('tr', {}, ...heads.map((text, at) =>
    element('th', at < texts ? {scope: 'col', class: 'text'} : {scope: 'col'}, text)));
  const body = element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells.map((cell, at) =>
    cell instanceof Node ? cell : element('td', at < texts ? {class: 'text'} : {}, cell)))));
  byId(id).replaceChildren(element('thead', {}, head), body);
}
function drawTimeline() {
  const run = data.runs[byId('timeline-run').value];
  const chart = byId('timeline-chart');
  chart.replaceChildren();
  table('islands', ['island', 'compute (s)', 'wait (s)', 'exchange (s)'],
    run.islands.map(([name, ...times]) => [name, ...times.map((time) => significant(time))]));
  byId('events-box').hidden = run.events.length === 0;
  byId('events-box').querySelector('summary').textContent =
    `What happened to network and islands, and what became of exchanges (${run.events.length}` +
    `${run.events.length < data.mostEvents ? '' : ', the first; events.csv has all'})`;
  table('events', ['time (s)', 'what', 'happens', 'round', 'effect', 'accuracy before', 'after'],
    run.events.map(([time, ...cells]) => [significant(time, 6), ...cells]), 5);
  if (run.spans.length === 0) {
    chart.append(element('p', {}, 'Nothing was recorded.'));
    return;
  }
  const names = run.islands.map(([name]) => name);
  const row = 22;
  const left = 12 + 8 * Math.min(14, d3.max(names, (name) => name.length));
  const width = Math.max(576, widthOf('timeline-chart'));
  const height = names.length * row + 44;
  const x = d3.scaleLinear().domain([0, d3.max(run.spans, (span) => span[1] + span[2])])
    .range([left, width - 12]);
  const svg = d3.select(chart).append('svg').attr('viewBox', `0 0 ${width} ${height}`)
    .attr('role', 'img').attr('aria-label', 'When each island computes, waits and exchanges; ' +
      'the sums stand in the table below').style('min-width', '36rem');
  names.forEach((name, index) => svg.append('text').attr('x', left - 6)
    .attr('y', index * row + row * 0.7).attr('text-anchor', 'end').text(name));
  for (const [island, start, length, activity, number] of run.spans) {
    svg.append('rect').attr('x', x(start)).attr('y', island * row + 3)
      .attr('width', Math.max(0.5, x(start + length) - x(start))).attr('height', row - 6)
      .attr('fill', `var(--${activities[activity]})`)
      .append('title').text(`${names[island]}, round ${number}: ${activities[activity]} ` +
        `${significant(length)} s from ${significant(start)} s`);
  }
  for (const [time, subject, what] of run.events) {
    if (time > x.domain()[1]) break;
    svg.append('line').attr('class', 'event').attr('x1', x(time)).attr('x2', x(time)).attr('y1', 0)
      .attr('y2', names.length * row + 4).append('title').text(`${subject} ${what}, ${significant(time)} s`);
  }
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${names.length * row + 4})`)
    .call(d3.axisBottom(x).ticks(8));
  svg.append('text').attr('x', (left + width) / 2).attr('y', height - 4)
    .attr('text-anchor', 'middle').text('simulated time (s), first rounds');
}
byId('timeline-run').addEventListener('change', drawTimeline);
drawTimeline();

let redraw = null;
window.addEventListener('resize', () => {
  clearTimeout(redraw);
  redraw = setTimeout(() => {
    drawCurves();
    drawMap();
    drawTimeline();
  }, 150);
});

// Links.
function drawLinks() {
  const run = data.runs[byId('links-run').value];
  table('arcs', ['arc', 'kind', 'capacity (Gbps)', 'carried (GB)', 'mean utilisation',
    'peak utilisation'], run.arcs.map(([name, kind, capacity, gigabytes, mean, peak]) => {
    const bar = element('td', {class: 'bar text'});
    bar.append(element('span', {style: `width:${Math.round(80 * mean)}px`}),
      `${significant(100 * mean, 3)} %`);
    return [name, kind, significant(capacity), significant(gigabytes), bar,
      `${significant(100 * peak, 3)} %`];
  }), 2);
}
function drawLeftOut() {
  const left = data.runs[byId('links-run').value].arcsLeftOut;
  byId('arcs-left').textContent =
    left > 0 ? `${left} less busy arcs are left out here; links.csv has all.` : '';
}
byId('links-run').addEventListener('change', drawLeftOut);
drawLeftOut();
byId('links-run').addEventListener('change', drawLinks);
drawLinks();

// Scenario and definitions.
byId('scenario-text').textContent = data.scenarioText;
table('resolved', ['key', 'value'], data.resolved, 2);
table('engine', ['option', 'value'], data.engine, 2);
for (const {name, summary, columns} of data.tables) {
  const list = element('dl');
  for (const column of columns) {
    list.append(element('dt', {}, column.name),
      element('dd', {}, column.definition + (column.unit === '-' ? '' : ` (unit: ${column.unit})`)));
  }
  byId('glossary').append(element('details', {},
    element('summary', {}, `${name}: ${summary}`), list));
}
