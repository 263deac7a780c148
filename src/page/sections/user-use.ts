// Fills the plot of the bytes that a proxy user used, by hour or by day.

import type { UserUse } from '../answers.ts';
import { figure } from '../card.ts';
import { emptyNote, factList, localTime } from '../components.ts';
import { bytes } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { Plot } from '../plot.ts';
import { chosenRange, lengthOf, rangeQuery } from '../range.ts';
import { elementById } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { zoomTo } from './range-control.ts';
import { Section } from './section.ts';

const DAY_MS = 86_400_000;
/** proxywatch keeps hours for 8 days. */
const MAX_HOURS_MS = 8 * DAY_MS;

export const useFrame = html`<div id="use-totals"></div>
${figure('use-plot', html`Used bytes <span class="per quiet"></span>`, { accent: 'residential', bad: 'mobile' })}`;

/** `path` is the path of the user. Returns a function that refreshes the plot. */
export const setUpUse = (path: string): (() => Promise<void>) => {
  const plot = new Plot({
    ...{ figure: elementById('use-plot'), kind: 'lines', times: 'instants', onZoom: zoomTo },
    series: [
      { colour: 'accent', label: 'residential', format: bytes, isFilled: true },
      { colour: 'bad', label: 'mobile', format: bytes },
    ],
  });
  const section = new Section<UserUse>({
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
  return () => section.refresh();
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

const minute = (at: string): Markup => localTime(Date.parse(at), 'minute');
