// Fills the section about traffic: plots, totals and a table of a graph's bytes and requests.

import type { Graph, Page, Point, Traffic, Unknown } from '../answers.ts';
import { bindChoice, choose, chosen } from '../choice.ts';
import { badge, emptyNote, figure } from '../components.ts';
import { bytes, compactCount } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { Plot, type PlotData } from '../plot.ts';
import { chosenRange, chosenRangeName, lengthOf, rangeQuery } from '../range.ts';
import { DEFAULT_RANGE, type Range } from '../ranges.ts';
import { elementById, show } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { trafficTable, trafficTotals } from '../views/traffic.ts';
import { eventFrame, setUpEvents } from './events.ts';
import { zoomTo } from './range-control.ts';
import { type Refresh, section, together } from './section.ts';

const WHOLE_ACCOUNT = 'Whole account';
const HOUR_MS = 3_600_000;

export const trafficFrame = html`<div id="traffic-totals"></div>
<div id="traffic-plots" hidden>
<div class="columns">
${figure('traffic-bytes', html`Bytes <span class="per quiet"></span>`)}
${figure('traffic-requests', html`Requests <span class="per quiet"></span>`, { accent: 'all', bad: 'failed' })}
</div>
${eventFrame}
<details><summary>Traffic as a table</summary><div id="traffic-table"></div></details>
</div>`;

/**
 * Fills `trafficFrame` and the select of graphs. `onChange` is called when the reader chooses a graph, `onAnswer` with each
 * answer about traffic, or that it is unknown. Returns a function that refreshes the section.
 */
export const setUpTraffic = (
  account: string,
  onChange: () => void,
  onAnswer: (answer: Traffic | null | Unknown) => void,
): Refresh => {
  const graphs = graphSelect(account);
  const traffic = graphTraffic(account, () => chosen('graph') ?? '', onAnswer);
  bindChoice('graph', [elementById<HTMLSelectElement>('graph')], onChange);
  return together([graphs, traffic]);
};

/** Fills `trafficFrame` in the chosen range. `onAnswer` gets each answer, or that it is unknown. Returns the refresher. */
export const graphTraffic = (
  account: string,
  graph: () => string,
  onAnswer: (answer: Traffic | null | Unknown) => void = () => {},
): Refresh => {
  /** The reader may choose another range before the answer arrives. */
  let requested: Range = chosenRange();
  const common = { kind: 'lines', times: 'instants', group: 'traffic', onZoom: zoomTo } as const;
  const plots = {
    bytes: new Plot({
      ...{ figure: elementById('traffic-bytes'), ...common },
      series: [{ colour: 'accent', label: 'bytes', format: bytes, isFilled: true }],
    }),
    requests: new Plot({
      ...{ figure: elementById('traffic-requests'), ...common },
      series: [
        { colour: 'accent', label: 'requests', format: compactCount, isFilled: true },
        { colour: 'bad', label: 'failed', format: compactCount },
      ],
    }),
  };
  const events = setUpEvents(account, () => `graph=${graph()}`, Object.values(plots));
  const traffic = section<Traffic>({
    element: elementById('traffic-totals'),
    path: () => {
      requested = chosenRange();
      const parameters = isLastDay() ? '' : `&${rangeQuery(requested)}`;
      return `api/v1/accounts/${encodeURIComponent(account)}/traffic?graph=${encodeURIComponent(graph())}${parameters}`;
    },
    draw: (answer) => drawTraffic(answer, lengthOf(requested) <= 48 * HOUR_MS ? 'hour' : 'day', plots),
    onAnswer,
  });
  return together([traffic, events]);
};

/** The API's own default is the last 24 hours, up to the newest complete bucket. */
const isLastDay = (): boolean => chosenRangeName() === DEFAULT_RANGE;

const graphSelect = (account: string): Refresh => {
  const select = elementById<HTMLSelectElement>('graph');
  return section<Page<Graph>>({
    element: select,
    path: () => `api/v1/graphs?account=${encodeURIComponent(account)}&limit=1000`,
    draw: (page) => {
      const names = (page?.data ?? []).map(({ graph }) => graph);
      // A graph that is no longer configured is not requested again.
      if (!names.includes(chosen('graph') ?? '')) choose({ graph: '' });
      return html`${names.map((name) =>
        name === (chosen('graph') ?? '')
          ? html`<option value="${name}" selected>${name || WHOLE_ACCOUNT}</option>`
          : html`<option value="${name}">${name || WHOLE_ACCOUNT}</option>`,
      )}`;
    },
  });
};

const drawTraffic = (
  answer: Traffic | null,
  by: 'hour' | 'day',
  plots: Record<'bytes' | 'requests', Plot>,
): Markup => {
  const isEmpty = !answer || answer.data.length === 0;
  elementById('traffic-plots').hidden = isEmpty;
  if (!answer)
    return html`<p class="empty">${badge('none', 'Not monitored')} The traffic collector is off for this account, or it does not read this graph.</p>`;
  const withNote = (body: () => Markup) =>
    withFreshness({ freshness: answer.freshness[0], now: Date.now(), isEmpty }, body);
  if (isEmpty) return withNote(() => noTraffic(answer));
  const width = answer.step === 'day' ? null : Math.min(...answer.data.map((point) => point.width_seconds));
  const complete = completePoints(answer);
  plots.bytes.show(plotData(complete, width, ['bytes']));
  plots.requests.show(plotData(complete, width, ['requests', 'failed_requests']));
  for (const element of document.querySelectorAll('.per'))
    element.textContent = `per ${width === null ? 'day' : formatWidth(width)}`;
  show(elementById('traffic-table'), trafficTable(answer, by, document.body.dataset.timeZone || 'UTC'));
  return withNote(() => trafficTotals(answer, Date.now()));
};

/** Explains why there is no traffic: the graph may not have been read although the whole account was. */
const noTraffic = ({ complete_until: until }: Traffic): Markup =>
  until === null
    ? html`<p class="empty">${badge('none', 'No data yet')} proxywatch has not read this graph yet.</p>`
    : emptyNote('The provider reported no traffic for this range.');

/** Leaves out the bucket that is still being filled, because it would look like a fall. */
const completePoints = ({ data, complete_until: until }: Traffic): Point[] =>
  data.filter(({ at, width_seconds: width }) => Date.parse(at) + width * 1000 <= Date.parse(until ?? at));

const formatWidth = (seconds: number): string => {
  if (seconds < 3600) return seconds === 60 ? 'minute' : `${seconds / 60} minutes`;
  return seconds === 3600 ? 'hour' : `${seconds / 3600} hours`;
};

type Amount = 'bytes' | 'requests' | 'failed_requests';

/** Scales values to `widthSeconds`, with gaps between points. With null, values stay: a day can have 23 hours. */
const plotData = (
  points: readonly Point[],
  widthSeconds: number | null,
  amounts: readonly Amount[],
): PlotData => {
  const times: number[] = [];
  const values: (number | null)[][] = amounts.map(() => []);
  let end: number | undefined;
  for (const point of points) {
    const at = Date.parse(point.at) / 1000;
    if (end !== undefined && at > end) {
      times.push(end);
      for (const list of values) list.push(null);
    }
    end = at + point.width_seconds;
    times.push(at);
    amounts.forEach((amount, index) => {
      const value = point[amount];
      values[index]?.push(
        value === null || widthSeconds === null ? value : (value * widthSeconds) / point.width_seconds,
      );
    });
  }
  return [times, ...values];
};
