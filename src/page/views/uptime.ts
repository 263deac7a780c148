// Shows uptime as percentages and strips, and shares of a whole as bars. They are SVG, whose attributes need no inline style.
// Texts beside them show the same.

import type { ProxyHours, UptimeHistory, UptimeStep } from '../answers.ts';
import { column, type Level, quiet, subjectLink, table } from '../components.ts';
import { count, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

/** Draws the used share of a whole; a ratio above 1 is drawn as 1. */
export const bar = (ratio: number, level: Level): Markup => {
  const width = Math.min(Math.max(ratio * 100, 0), 100).toFixed(1);
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="ground" width="100" height="8"/><rect class="${level}" width="${width}" height="8"/></svg>`;
};

const STEP_WIDTH = 3;
const HEIGHT = 16;

/**
 * Draws uptime in steps of time: on top of the successes, failures by the fault of others or of unknown fault, and in red
 * those of the subject itself, as high as their shares; a low dash means no result. All steps share four paths and one
 * title, because a page has thousands of them.
 */
export const strip = (steps: readonly StripStep[], unit: 'hour' | 'day'): Markup => {
  const draw = (part: (step: StripStep) => readonly [top: number, bottom: number] | null): string =>
    steps.map((step, index) => stepPath(index * STEP_WIDTH, part(step))).join('');
  const width = steps.length * STEP_WIDTH - 1;
  return html`<svg class="strip" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${stripLabel(steps, unit)}">
<title>${stripTitle(steps, unit)}</title>
<path class="ground" d="${draw(({ results }) => (results === 0 ? [HEIGHT - 2, HEIGHT] : null))}"/>
<path class="good" d="${draw((step) => (step.results === 0 ? null : [ownHeight(step) + otherHeight(step), HEIGHT]))}"/>
<path class="fair" d="${draw((step) => [ownHeight(step), ownHeight(step) + otherHeight(step)])}"/>
<path class="bad" d="${draw((step) => [0, ownHeight(step)])}"/>
</svg>`;
};

const stepPath = (x: number, part: readonly [number, number] | null): string =>
  part === null || part[0] === part[1] ? '' : `M${x} ${part[0]}h2V${part[1]}h-2z`;

/** Failures that an earlier version stored have no known fault, so none of them is drawn as the subject's own. */
const ownFailures = ({ own_failures: own }: StripStep): number => own ?? 0;

const otherFailures = (step: StripStep): number => step.results - step.successes - ownFailures(step);

/** Makes a single failure among many results visible. */
const height = (failures: number, results: number): number =>
  failures === 0 ? 0 : Math.round(Math.max((failures / results) * HEIGHT, 4));

const ownHeight = (step: StripStep): number => height(ownFailures(step), step.results);

const otherHeight = (step: StripStep): number =>
  Math.min(height(otherFailures(step), step.results), HEIGHT - ownHeight(step));

/**
 * Returns the share of results that are not failures of the subject itself; `none` without results. One step with failures
 * of unknown fault makes the whole share unknown, as in the API. Any number would blame or excuse the subject.
 */
export const uptimeOf = (steps: readonly StripStep[]): number | 'none' | 'unknown' => {
  const sum = (amount: (step: StripStep) => number) => steps.reduce((all, step) => all + amount(step), 0);
  const results = sum((step) => step.results);
  if (results === 0) return 'none';
  return steps.some(isUnattributed) ? 'unknown' : 1 - sum(ownFailures) / results;
};

const isUnattributed = ({ results, own_failures: own }: StripStep): boolean => results > 0 && own === null;

const stripLabel = (steps: readonly StripStep[], unit: string): string => {
  const tested = steps.filter(({ results }) => results > 0).length;
  if (tested === 0) return `no tests in ${steps.length} ${unit}s`;
  const own = steps.filter((step) => ownFailures(step) > 0).length;
  const other = steps.filter((step) => !isUnattributed(step) && otherFailures(step) > 0).length;
  const unknown = steps.filter(isUnattributed).length;
  const rest = unknown === 0 ? '' : `, failures of unknown fault in ${unknown}`;
  return `own failures in ${own} of ${tested} ${unit}s, other failures in ${other}${rest}`;
};

/** Lists the steps with failures, one line each, the newest first. */
const stripTitle = (steps: readonly StripStep[], unit: 'hour' | 'day'): string => {
  const failing = steps.filter(({ results, successes }) => results > successes);
  const lines = failing.map((step) => {
    const when = unit === 'hour' ? `${step.at.slice(0, 16).replace('T', ' ')} UTC` : step.at.slice(0, 10);
    return `${when}: of ${count(step.results)} tests ${failuresText(step)}`;
  });
  return [stripLabel(steps, unit), ...lines.reverse()].join('\n');
};

const failuresText = (step: StripStep): string =>
  isUnattributed(step)
    ? `${count(otherFailures(step))} failures of unknown fault`
    : `${count(ownFailures(step))} own failures, ${count(otherFailures(step))} by others or of unknown cause`;

/** The tests may have begun later. The cells say of how many days they are. */
export const MONTH = 'Up to 30 days';

export const uptimeTable = (subject: string, histories: readonly UptimeHistory[]): Markup =>
  table<UptimeHistory>(
    `Uptime by ${subject}`,
    [
      column(subject, ({ account, kind, id }) => subjectLink(account, kind, id), 'wide'),
      column('Own uptime, 24 hours', dayStrip),
      column(MONTH, monthStrip),
    ],
    histories,
  );

export const dayStrip = ({ hours }: Pick<UptimeHistory, 'hours'>): Markup => withPercent(hours, 'hour');

export const monthStrip = ({ days }: Pick<UptimeHistory, 'days'>): Markup => withPercent(days, 'day');

const HOUR_MS = 3_600_000;

/** The part of a step of time that a strip shows. */
export type StripStep = Pick<UptimeStep, 'at' | 'results' | 'successes' | 'own_failures'>;

/** Returns the hours of a proxy; undefined without results. */
export const hoursOf = ({ from, data }: ProxyHours, id: string): StripStep[] | undefined => {
  const found = data.find((each) => each.id === id);
  return found?.results.map((results, index) => ({
    ...{ at: new Date(Date.parse(from) + index * HOUR_MS).toISOString(), results },
    ...{ successes: found.successes[index] ?? 0, own_failures: found.own_failures[index] ?? null },
  }));
};

const NO_RATIO = { none: 'no tests', unknown: 'unknown' } as const;

const withPercent = (steps: readonly StripStep[], unit: 'hour' | 'day'): Markup => {
  const ratio = uptimeOf(steps);
  if (typeof ratio === 'string') return stripRow(steps, unit, quiet(NO_RATIO[ratio]));
  return stripRow(steps, unit, html`${percent(ratio)}${unit === 'day' ? shorterPeriod(steps) : null}`);
};

/** Says of how many days a share is if the tests began after the first step. */
const shorterPeriod = (days: readonly StripStep[]): Markup | null => {
  const before = days.findIndex(({ results }) => results > 0);
  const known = days.length - before;
  return before > 0 ? html` ${quiet(`in ${known} ${known === 1 ? 'day' : 'days'}`)}` : null;
};

export const stripRow = (steps: readonly StripStep[], unit: 'hour' | 'day', words: Value): Markup =>
  html`<div class="strip-row">${strip(steps, unit)}<span class="strip-words">${words}</span></div>`;
