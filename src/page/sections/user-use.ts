// Fills the plots of a proxy user: the bytes that it used, and the forecast of those left at three paces.

import type { Quota, UserUse } from '../answers.ts';
import { emptyNote, factList, figure, minute } from '../components.ts';
import { bytes } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { Plot } from '../plot.ts';
import { chosenRange, lengthOf, rangeQuery } from '../range.ts';
import { elementById } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { eventFrame, setUpEvents } from './events.ts';
import { zoomTo } from './range-control.ts';
import { type Refresh, section, together } from './section.ts';

const DAY_MS = 86_400_000;
/** proxywatch keeps hours for 8 days. */
const MAX_HOURS_MS = 8 * DAY_MS;

export const useFrame = html`<div id="use-totals"></div>
${figure('use-plot', html`Used bytes <span class="per quiet"></span>`, { accent: 'residential', bad: 'mobile' })}
${eventFrame}`;

/** `path` is the path of the user. Returns a function that refreshes the plot. */
export const setUpUse = (account: string, id: string, path: string): Refresh => {
  const plot = new Plot({
    ...{ figure: elementById('use-plot'), kind: 'lines', times: 'instants', onZoom: zoomTo },
    series: [
      { colour: 'accent', label: 'residential', format: bytes, isFilled: true },
      { colour: 'bad', label: 'mobile', format: bytes },
    ],
  });
  const use = section<UserUse>({
    element: elementById('use-totals'),
    path: () => {
      const range = chosenRange();
      return `${path}/use?step=${hasHours() ? 'hour' : 'day'}&${rangeQuery(range)}`;
    },
    draw: (use) => {
      const points = use?.data ?? [];
      const isKnown = points.some((point) => point.bytes.residential !== null || point.bytes.mobile !== null);
      elementById('use-plot').hidden = !isKnown;
      const options = { freshness: use?.freshness[0], now: Date.now(), isEmpty: !isKnown, isBrief: true };
      if (!use || !isKnown)
        return withFreshness(options, () => emptyNote('proxywatch has not stored the use of this time.'));
      for (const element of document.querySelectorAll('#use-plot .per'))
        element.textContent = `per ${use.step}`;
      plot.show([
        points.map(({ at }) => Date.parse(at) / 1000),
        points.map((point) => point.bytes.residential),
        points.map((point) => point.bytes.mobile),
      ]);
      return withFreshness(options, () => totalsOf(use));
    },
  });
  const events = setUpEvents(account, () => `proxy_user_id=${id}`, [plot]);
  return together([use, events]);
};

const hasHours = (): boolean => {
  const range = chosenRange();
  return lengthOf(range) <= MAX_HOURS_MS && range.from > Date.now() - MAX_HOURS_MS;
};

const totalsOf = ({ totals, counted_since: since, ...use }: UserUse): Markup =>
  html`${factList({
    Residential: totals.residential === null ? null : bytes(totals.residential),
    Mobile: totals.mobile === null ? null : bytes(totals.mobile),
    'Known since': since === null ? null : minute(since),
  })}<p class="quiet">Whole ${use.step}s, from ${minute(use.from)} to ${minute(use.to)}.</p>`;

type Forecast = Pick<Quota, 'left_bytes' | 'exhausted_at' | 'exhausted_earliest_at' | 'exhausted_latest_at'>;

export const forecastFigure = figure('forecast-plot', 'Forecast of the bytes left', {
  accent: 'expected',
  quiet: 'at the fastest and slowest pace of the last hour, day and week',
});

/** A slowest pace that never uses up the bytes is drawn for this many times the expected duration. */
const MAX_STRETCH = 3;

/** Returns a function that draws a forecast, and hides the plot if there is none. */
export const setUpForecast = (): ((forecast: Forecast | null, now: number) => void) => {
  const plot = new Plot({
    ...{ figure: elementById('forecast-plot'), kind: 'lines', times: 'instants', band: [2, 3] },
    series: [
      { colour: 'accent', label: 'expected', format: bytes },
      { colour: 'quiet', label: 'slowest', format: bytes, isDashed: true },
      { colour: 'quiet', label: 'fastest', format: bytes, isDashed: true },
    ],
  });
  return (forecast, now) => {
    const { left_bytes: left, exhausted_at: at } = forecast ?? {};
    elementById('forecast-plot').hidden = !forecast || !left || !at || Date.parse(at) <= now;
    if (!forecast || !left || !at || Date.parse(at) <= now) return;
    const expected = Date.parse(at);
    const end = now + MAX_STRETCH * (expected - now);
    const [earliest, latest] = [forecast.exhausted_earliest_at, forecast.exhausted_latest_at].map((time) =>
      time === null ? null : Date.parse(time),
    );
    const shownUntil = Math.min(end, latest ?? end);
    const times = [now, earliest ?? expected, expected, shownUntil].sort((one, other) => one - other);
    const leftAt = (until: number) => times.map((time) => leftUntil(left, now, until, time));
    plot.show([
      times.map((time) => time / 1000),
      leftAt(expected),
      leftAt(latest ?? Number.POSITIVE_INFINITY),
      leftAt(earliest ?? expected),
    ]);
  };
};

/** Returns the bytes left at `time` if they are used evenly until `until`. */
const leftUntil = (left: number, now: number, until: number, time: number): number =>
  Number.isFinite(until) ? Math.max(0, left * (1 - (time - now) / Math.max(1, until - now))) : left;
