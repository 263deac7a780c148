// A bar and a strip, drawn as SVG whose attributes need no style of their own; words beside them say the same.

import type { StripStep } from '../answers.ts';
import { count } from '../format.ts';
import { html, type Markup } from '../html.ts';
import type { State } from '../parts.ts';

/** How much of a whole is used; what is above it is drawn as all of it. */
export const bar = (ratio: number, level: State): Markup => {
  const width = Math.min(Math.max(ratio * 100, 0), 100).toFixed(1);
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="ground" width="100" height="8"/><rect class="${level}" width="${width}" height="8"/></svg>`;
};

const STEP_WIDTH = 3;
const HEIGHT = 16;

/**
 * Uptime in steps of time: failures stand red on top of successes, as high as their part; a low dash is no result. The
 * steps are drawn as three paths and told in one title, since a page has thousands of them.
 */
export const strip = (steps: readonly StripStep[], unit: 'hour' | 'day'): Markup => {
  const draw = (part: (step: StripStep) => readonly [top: number, bottom: number] | null): string =>
    steps.map((step, index) => column(index * STEP_WIDTH, part(step))).join('');
  const width = steps.length * STEP_WIDTH - 1;
  return html`<svg class="strip" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${stripWords(steps, unit)}">
<title>${stripTitle(steps, unit)}</title>
<path class="ground" d="${draw(({ ratio }) => (ratio === null ? [HEIGHT - 2, HEIGHT] : null))}"/>
<path class="good" d="${draw((step) => (step.ratio === null ? null : [failedHeight(step), HEIGHT]))}"/>
<path class="bad" d="${draw((step) => [0, failedHeight(step)])}"/>
</svg>`;
};

const column = (x: number, part: readonly [number, number] | null): string =>
  part === null || part[0] === part[1] ? '' : `M${x} ${part[0]}h2V${part[1]}h-2z`;

/** A single failure among many has to be seen. */
const failedHeight = ({ ratio }: StripStep): number =>
  ratio === null || ratio === 1 ? 0 : Math.round(Math.max((1 - ratio) * HEIGHT, 4));

export const uptimeOf = (steps: readonly StripStep[]): number | null => {
  const sum = (key: 'results' | 'successes') => steps.reduce((total, step) => total + step[key], 0);
  const results = sum('results');
  return results === 0 ? null : sum('successes') / results;
};

const stripWords = (steps: readonly StripStep[], unit: string): string => {
  const tested = steps.filter(({ ratio }) => ratio !== null).length;
  if (tested === 0) return `no tests in ${steps.length} ${unit}s`;
  return `${failing(steps).length} of ${tested} ${unit}s with failures`;
};

const failing = (steps: readonly StripStep[]): StripStep[] =>
  steps.filter(({ ratio }) => ratio !== null && ratio !== 1);

/** The steps with failures, a line each, the newest first. */
const stripTitle = (steps: readonly StripStep[], unit: 'hour' | 'day'): string => {
  const lines = failing(steps).map(({ at, results, successes }) => {
    const when = unit === 'hour' ? `${at.slice(0, 16).replace('T', ' ')} UTC` : at.slice(0, 10);
    return `${when}: ${count(results - successes)} of ${count(results)} tests failed`;
  });
  return [stripWords(steps, unit), ...lines.reverse()].join('\n');
};
