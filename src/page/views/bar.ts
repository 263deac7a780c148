// Draws a bar and an uptime strip as SVG, whose attributes need no inline style. Texts beside them show the same.

import type { UptimeStep } from '../answers.ts';
import type { Level } from '../components.ts';
import { count } from '../format.ts';
import { html, type Markup } from '../html.ts';

/** Draws the used share of a whole; a ratio above 1 is drawn as 1. */
export const bar = (ratio: number, level: Level): Markup => {
  const width = Math.min(Math.max(ratio * 100, 0), 100).toFixed(1);
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="ground" width="100" height="8"/><rect class="${level}" width="${width}" height="8"/></svg>`;
};

const STEP_WIDTH = 3;
const HEIGHT = 16;

/**
 * Draws uptime in steps of time: failures in red on top of successes, as high as their share; a low dash means no result.
 * All steps share three paths and one title, because a page has thousands of them.
 */
export const strip = (steps: readonly UptimeStep[], unit: 'hour' | 'day'): Markup => {
  const draw = (part: (step: UptimeStep) => readonly [top: number, bottom: number] | null): string =>
    steps.map((step, index) => column(index * STEP_WIDTH, part(step))).join('');
  const width = steps.length * STEP_WIDTH - 1;
  return html`<svg class="strip" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${stripLabel(steps, unit)}">
<title>${stripTitle(steps, unit)}</title>
<path class="ground" d="${draw(({ ratio }) => (ratio === null ? [HEIGHT - 2, HEIGHT] : null))}"/>
<path class="good" d="${draw((step) => (step.ratio === null ? null : [failedHeight(step), HEIGHT]))}"/>
<path class="bad" d="${draw((step) => [0, failedHeight(step)])}"/>
</svg>`;
};

const column = (x: number, part: readonly [number, number] | null): string =>
  part === null || part[0] === part[1] ? '' : `M${x} ${part[0]}h2V${part[1]}h-2z`;

/** Makes a single failure among many results visible. */
const failedHeight = ({ ratio }: UptimeStep): number =>
  ratio === null || ratio === 1 ? 0 : Math.round(Math.max((1 - ratio) * HEIGHT, 4));

export const uptimeOf = (steps: readonly UptimeStep[]): number | null => {
  const sum = (key: 'results' | 'successes') => steps.reduce((total, step) => total + step[key], 0);
  const results = sum('results');
  return results === 0 ? null : sum('successes') / results;
};

const stripLabel = (steps: readonly UptimeStep[], unit: string): string => {
  const tested = steps.filter(({ ratio }) => ratio !== null).length;
  if (tested === 0) return `no tests in ${steps.length} ${unit}s`;
  return `${failingSteps(steps).length} of ${tested} ${unit}s with failures`;
};

const failingSteps = (steps: readonly UptimeStep[]): UptimeStep[] =>
  steps.filter(({ ratio }) => ratio !== null && ratio !== 1);

/** Lists the steps with failures, one line each, the newest first. */
const stripTitle = (steps: readonly UptimeStep[], unit: 'hour' | 'day'): string => {
  const lines = failingSteps(steps).map(({ at, results, successes }) => {
    const when = unit === 'hour' ? `${at.slice(0, 16).replace('T', ' ')} UTC` : at.slice(0, 10);
    return `${when}: ${count(results - successes)} of ${count(results)} tests failed`;
  });
  return [stripLabel(steps, unit), ...lines.reverse()].join('\n');
};
