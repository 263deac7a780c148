// The part on traffic: plots of bytes and requests of a graph over a day or a week, in words and as a table too.

import type { Graph, Page, Point, Traffic } from './answers.ts';
import { bindChoice, choose, chosen } from './choice.ts';
import { bytes, short, utc } from './format.ts';
import { html, type Markup } from './html.ts';
import { badge, empty } from './parts.ts';
import { Plot, type PlotData } from './plot.ts';
import { Section } from './section.ts';
import { part, show } from './show.ts';
import { withFreshness } from './views/freshness.ts';
import { trafficTable, trafficTotals } from './views/traffic.ts';

const WHOLE = 'Whole account';
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const POWERS = Array.from({ length: 60 }, (_, power) => 2 ** power);

const timeWords = (at: number): string => utc(at * 1000).replace(':00 UTC', ' UTC');

/** `told` hears of the whole account's last day. What it returns asks for the newest. */
export const trafficPart = (
  account: string,
  changed: () => void,
  told: (day: Traffic | null) => void,
): (() => Promise<void>) => {
  const group = 'traffic';
  const plots = {
    bytes: new Plot({
      ...{ figure: part('traffic-bytes'), kind: 'lines', group, timeWords, steps: POWERS },
      series: [{ colour: 'accent', label: 'bytes', words: bytes, isFilled: true }],
    }),
    requests: new Plot({
      ...{ figure: part('traffic-requests'), kind: 'lines', group, timeWords },
      series: [
        { colour: 'accent', label: 'requests', words: short, isFilled: true },
        { colour: 'bad', label: 'failed', words: short },
      ],
    }),
  };
  const base = `api/v1/accounts/${encodeURIComponent(account)}/traffic`;
  const graphs = graphSelect(account);
  const traffic = new Section<Traffic>({
    element: part('traffic-totals'),
    path: () => `${base}?graph=${encodeURIComponent(chosen('graph') ?? '')}${isWeek() ? weekQuery() : ''}`,
    draw: (answer) => {
      if (isWholeDay()) told(answer);
      return drawTraffic(answer, isWeek(), plots);
    },
  });
  const day = new Section<Traffic>({
    element: document.createElement('div'),
    path: () => (isWholeDay() ? null : base),
    draw: (answer) => {
      told(answer);
      return html``;
    },
  });
  const controls = [part<HTMLSelectElement>('graph')];
  bindChoice('graph', controls, changed);
  bindChoice('range', [...document.querySelectorAll<HTMLInputElement>('input[name=range]')], changed);
  return async () => {
    await Promise.all([graphs.refresh(), traffic.refresh(), day.refresh()]);
  };
};

const isWeek = (): boolean => chosen('range') === 'week';

const isWholeDay = (): boolean => !isWeek() && !chosen('graph');

/** The same for an hour, since the tag of an answer belongs to its address. */
const weekQuery = (): string => {
  const now = Date.now();
  return `&from=${new Date(now - (now % HOUR_MS) - WEEK_MS).toISOString()}`;
};

const graphSelect = (account: string): Section<Page<Graph>> => {
  const select = part<HTMLSelectElement>('graph');
  return new Section<Page<Graph>>({
    element: select,
    path: () => `api/v1/graphs?account=${encodeURIComponent(account)}&limit=1000`,
    draw: (page) => {
      const names = (page?.data ?? []).map(({ graph }) => graph);
      // One that was configured no more is not asked for again.
      if (!names.includes(chosen('graph') ?? '')) choose('graph', '');
      return html`${names.map((name) =>
        name === (chosen('graph') ?? '')
          ? html`<option value="${name}" selected>${name || WHOLE}</option>`
          : html`<option value="${name}">${name || WHOLE}</option>`,
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
  part('traffic-plots').hidden = isEmpty;
  if (!answer)
    return html`<p class="empty">${badge('none', 'Not monitored')} Traffic is not read for this account.</p>`;
  const told = (body: () => Markup) =>
    withFreshness({ known: answer.freshness[0], now: Date.now(), isEmpty }, body);
  if (isEmpty) return told(() => noTraffic(answer));
  const width = Math.min(...answer.data.map(({ width_seconds: seconds }) => seconds));
  const complete = completePoints(answer);
  plots.bytes.show(plotData(complete, width, ['bytes']));
  plots.requests.show(plotData(complete, width, ['requests', 'failed_requests']));
  for (const element of document.querySelectorAll('.per')) element.textContent = `per ${widthWords(width)}`;
  show(part('traffic-table'), trafficTable(answer, isWeek ? 'day' : 'hour'));
  return told(() => trafficTotals(answer, Date.now()));
};

/** The whole account may have been read, and the graph not. */
const noTraffic = ({ complete_until: until }: Traffic): Markup =>
  until === null
    ? html`<p class="empty">${badge('none', 'No data yet')} This graph has not been read yet.</p>`
    : empty('The provider gave no traffic for this range.');

/** The bucket that is being filled would look like a fall. */
const completePoints = ({ data, complete_until: until }: Traffic): Point[] =>
  data.filter(({ at, width_seconds: width }) => Date.parse(at) + width * 1000 <= Date.parse(until ?? at));

const widthWords = (seconds: number): string => {
  if (seconds < 3600) return seconds === 60 ? 'minute' : `${seconds / 60} minutes`;
  return seconds === 3600 ? 'hour' : `${seconds / 3600} hours`;
};

type Amount = 'bytes' | 'requests' | 'failed_requests';

/** Values by `widthSeconds`, however wide their points are, with a gap where there is no point. */
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
