// Fills the section about traffic: plots, totals and a table of a graph's bytes and requests over a day or a week.

import type { Graph, Page, Point, Traffic } from '../answers.ts';
import { bindChoice, choose, chosen } from '../choice.ts';
import { badge, emptyNote } from '../components.ts';
import { bytes, compactCount } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { Plot, type PlotData } from '../plot.ts';
import { elementById, show } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { trafficTable, trafficTotals } from '../views/traffic.ts';
import { Section } from './section.ts';

const WHOLE_ACCOUNT = 'Whole account';
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/**
 * `onChange` is called when the reader chooses something else, `onDay` with each answer about the whole account's last
 * day. Returns a function that refreshes the section.
 */
export const setUpTraffic = (
  account: string,
  onChange: () => void,
  onDay: (day: Traffic | null) => void,
): (() => Promise<void>) => {
  const group = 'traffic';
  const plots = {
    bytes: new Plot({
      ...{ figure: elementById('traffic-bytes'), kind: 'lines', times: 'instants', group },
      series: [{ colour: 'accent', label: 'bytes', format: bytes, isFilled: true }],
    }),
    requests: new Plot({
      ...{ figure: elementById('traffic-requests'), kind: 'lines', times: 'instants', group },
      series: [
        { colour: 'accent', label: 'requests', format: compactCount, isFilled: true },
        { colour: 'bad', label: 'failed', format: compactCount },
      ],
    }),
  };
  const base = `api/v1/accounts/${encodeURIComponent(account)}/traffic`;
  const graphs = graphSelect(account);
  const traffic = new Section<Traffic>({
    element: elementById('traffic-totals'),
    path: () => `${base}?graph=${encodeURIComponent(chosen('graph') ?? '')}${isWeek() ? weekQuery() : ''}`,
    draw: (answer) => {
      if (isWholeDay()) onDay(answer);
      return drawTraffic(answer, isWeek(), plots);
    },
  });
  const day = new Section<Traffic>({
    element: document.createElement('div'),
    path: () => (isWholeDay() ? null : base),
    draw: (answer) => {
      onDay(answer);
      return html``;
    },
  });
  const controls = [elementById<HTMLSelectElement>('graph')];
  bindChoice('graph', controls, onChange);
  bindChoice('range', [...document.querySelectorAll<HTMLInputElement>('input[name=range]')], onChange);
  return async () => {
    await Promise.all([graphs.refresh(), traffic.refresh(), day.refresh()]);
  };
};

const isWeek = (): boolean => chosen('range') === 'week';

const isWholeDay = (): boolean => !isWeek() && !chosen('graph');

/** Stays the same for an hour, because the ETag of an answer belongs to its path. */
const weekQuery = (): string => {
  const now = Date.now();
  return `&from=${new Date(now - (now % HOUR_MS) - WEEK_MS).toISOString()}`;
};

const graphSelect = (account: string): Section<Page<Graph>> => {
  const select = elementById<HTMLSelectElement>('graph');
  return new Section<Page<Graph>>({
    element: select,
    path: () => `api/v1/graphs?account=${encodeURIComponent(account)}&limit=1000`,
    draw: (page) => {
      const names = (page?.data ?? []).map(({ graph }) => graph);
      // A graph that is no longer configured is not requested again.
      if (!names.includes(chosen('graph') ?? '')) choose('graph', '');
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
  isWeek: boolean,
  plots: Record<'bytes' | 'requests', Plot>,
): Markup => {
  const isEmpty = !answer || answer.data.length === 0;
  elementById('traffic-plots').hidden = isEmpty;
  if (!answer)
    return html`<p class="empty">${badge('none', 'Not monitored')} The traffic collector is off for this account.</p>`;
  const withNote = (body: () => Markup) =>
    withFreshness({ freshness: answer.freshness[0], now: Date.now(), isEmpty }, body);
  if (isEmpty) return withNote(() => noTraffic(answer));
  const width = Math.min(...answer.data.map(({ width_seconds: seconds }) => seconds));
  const complete = completePoints(answer);
  plots.bytes.show(plotData(complete, width, ['bytes']));
  plots.requests.show(plotData(complete, width, ['requests', 'failed_requests']));
  for (const element of document.querySelectorAll('.per')) element.textContent = `per ${formatWidth(width)}`;
  show(elementById('traffic-table'), trafficTable(answer, isWeek ? 'day' : 'hour'));
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

/** Scales all values to `widthSeconds`, whatever the width of their points, and leaves gaps between points. */
const plotData = (points: readonly Point[], widthSeconds: number, amounts: readonly Amount[]): PlotData => {
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
      values[index]?.push(value === null ? null : (value * widthSeconds) / point.width_seconds);
    });
  }
  return [times, ...values];
};
