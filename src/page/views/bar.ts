// A bar and a strip, drawn as SVG whose attributes need no style of their own; words beside them say the same.

import type { StripStep } from '../answers.ts';
import { count, percent } from '../format.ts';
import { html, type Markup } from '../html.ts';
import type { State } from '../parts.ts';

/** How much of a whole is used; what is above it is drawn as all of it. */
export const bar = (ratio: number, level: State): Markup => {
  const width = Math.min(Math.max(ratio * 100, 0), 100).toFixed(1);
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="ground" width="100" height="8"/><rect class="${level}" width="${width}" height="8"/></svg>`;
};

const STEP_WIDTH = 3;
const HEIGHT = 16;

/** Uptime in steps of time: failures stand red on top of successes, as high as their part; a low dash is no result. */
export const strip = (steps: readonly StripStep[], unit: 'hour' | 'day'): Markup =>
  html`<svg class="strip" viewBox="0 0 ${steps.length * STEP_WIDTH - 1} ${HEIGHT}" role="img" aria-label="${stripWords(steps, unit)}">${steps.map(
    (step, index) => stepBar(step, index * STEP_WIDTH, unit),
  )}</svg>`;

const stepBar = ({ at, ratio, results, successes }: StripStep, x: number, unit: string): Markup => {
  const when = unit === 'hour' ? `${at.slice(0, 16).replace('T', ' ')} UTC` : at.slice(0, 10);
  if (ratio === null)
    return html`<g><title>${when}: no tests</title><rect class="ground" x="${x}" y="${HEIGHT - 2}" width="2" height="2"/></g>`;
  // A single failure among many has to be seen.
  const failed = ratio === 1 ? 0 : Math.max((1 - ratio) * HEIGHT, 4);
  return html`<g><title>${when}: ${percent(ratio)}, ${count(successes)} of ${count(results)} tests</title><rect class="good" x="${x}" y="${failed}" width="2" height="${HEIGHT - failed}"/><rect class="bad" x="${x}" width="2" height="${failed}"/></g>`;
};

export const uptimeOf = (steps: readonly StripStep[]): number | null => {
  const sum = (key: 'results' | 'successes') => steps.reduce((total, step) => total + step[key], 0);
  const results = sum('results');
  return results === 0 ? null : sum('successes') / results;
};

const stripWords = (steps: readonly StripStep[], unit: string): string => {
  const tested = steps.filter(({ ratio }) => ratio !== null);
  const failing = tested.filter(({ ratio }) => ratio !== 1).length;
  return `${failing} of ${tested.length} ${unit}s with failures`;
};
