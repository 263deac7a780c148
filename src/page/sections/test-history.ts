// Fills the plots of a proxy, target or tester: its response time, and its failing tests by what is at fault.

import type { TestHistory } from '../answers.ts';
import { emptyNote, figure } from '../components.ts';
import { compactCount, seconds } from '../format.ts';
import { html } from '../html.ts';
import { Plot } from '../plot.ts';
import { chosenRange, lengthOf, rangeQuery } from '../range.ts';
import { elementById } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { eventFrame, setUpEvents } from './events.ts';
import { zoomTo } from './range-control.ts';
import { type Refresh, section, together } from './section.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A plot of more points of an hour would not be clearer. */
const MAX_HOURS_MS = 14 * DAY_MS;
/** proxywatch keeps hours for 31 days. */
const OLDEST_HOUR_MS = 31 * DAY_MS;

export const historyFrame = (
  subject: string,
) => html`<div id="test-note"></div><div id="test-plots"><div class="columns">
${figure('test-times', 'Response time, mean')}
${figure('test-failures', 'Failed tests', { bad: `by the ${subject}`, fair: 'by others', quiet: 'cause unknown' })}
</div>${eventFrame}</div>`;

/** `path` is the path of the subject, and `label` its label and value. Returns a function that refreshes the plots. */
export const setUpTestHistory = (account: string, label: string, path: string): Refresh => {
  const common = { times: 'instants', group: 'tests', onZoom: zoomTo } as const;
  const times = new Plot({
    ...{ figure: elementById('test-times'), kind: 'lines', ...common },
    series: [{ colour: 'accent', label: 'mean', format: seconds, isFilled: true }],
  });
  const failures = new Plot({
    ...{ figure: elementById('test-failures'), kind: 'lines', ...common },
    series: [
      { colour: 'bad', label: 'own', format: compactCount },
      { colour: 'fair-mark', label: 'others', format: compactCount },
      { colour: 'quiet', label: 'unknown', format: compactCount },
    ],
  });
  const tests = section<TestHistory>({
    element: elementById('test-note'),
    path: () => {
      const range = chosenRange();
      const hasHours = lengthOf(range) <= MAX_HOURS_MS && range.from > Date.now() - OLDEST_HOUR_MS;
      const step = hasHours ? 'hour' : 'day';
      return `${path}/history?step=${step}&${rangeQuery(range)}`;
    },
    draw: (history) => {
      const points = history?.data ?? [];
      const isEmpty = !points.some(({ results }) => results > 0);
      elementById('test-plots').hidden = isEmpty;
      const options = { freshness: history?.freshness, now: Date.now(), isEmpty, isBrief: true };
      if (isEmpty)
        return withFreshness(options, () =>
          emptyNote('proxywatch has no test results of this range. It keeps them for 90 days.'),
        );
      const at = points.map((point) => Date.parse(point.at) / 1000);
      times.show([at, points.map(({ mean_response_time_seconds: mean }) => mean)]);
      const known = (key: 'own_failures' | 'other_failures' | 'unattributed_failures') =>
        points.map((point) => (point.results === 0 ? null : point[key]));
      failures.show([at, known('own_failures'), known('other_failures'), known('unattributed_failures')]);
      return withFreshness(options, () => html``);
    },
  });
  const events = setUpEvents(account, () => label, [times, failures]);
  return together([tests, events]);
};
