// Shows the result of one proxy test as a mark and a text.

import type { Test } from '../answers.ts';
import { seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';

/** Shows whether a test succeeded, and its response time or the source of its error. */
export const resultMark = ({
  success,
  response_time_seconds: took,
  error_source: source,
}: Pick<Test, 'success' | 'response_time_seconds' | 'error_source'>): Markup => {
  const text = success ? (took === null ? 'ok' : seconds(took)) : (source ?? 'failed');
  return html`<span aria-hidden="true">${success ? '✓' : '✕'}</span><span class="unseen">${success ? 'succeeded' : 'failed'}</span> ${text}`;
};
