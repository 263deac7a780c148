// Fills the plot of a forecast: the bytes that are left at the expected, the fastest and the slowest pace.

import type { Quota } from '../answers.ts';
import { figure } from '../card.ts';
import { bytes } from '../format.ts';
import { Plot } from '../plot.ts';
import { elementById } from '../show.ts';

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
