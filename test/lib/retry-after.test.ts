// Tests how long an answer of 429 asks to wait.

import { expect, it } from 'vitest';
import { retryAfterMs } from '../../src/lib/http-answer.ts';

const answeredAt = Date.parse('2026-03-01T12:00:00Z');

it.each([
  ['seconds in the header', '7', '', 7_000],
  ['a date in the header', 'Sun, 01 Mar 2026 12:00:30 GMT', '', 30_000],
  ['a date in the past', 'Sun, 01 Mar 2026 11:00:00 GMT', '', 0],
  ['the header before the message', '7', 'Please try again in 45 seconds.', 7_000],
  ['seconds in the message', undefined, 'Rate limit exceeded. Please try again in 45 seconds.', 45_000],
  ['one second in the message', undefined, 'Try again in 1 second', 1_000],
  ['minutes in the message', undefined, 'Try again in 2 minutes', 120_000],
  ['a fraction in the header', '1.5', '', 1_500],
  ['nothing in a negative header', '-5', '', undefined],
  ['nothing in a header with very many digits', '9'.repeat(400), '', undefined],
  [
    'nothing in a message with very many digits',
    undefined,
    `try again in ${'9'.repeat(400)} seconds`,
    undefined,
  ],
  ['the message if the header is invalid', 'soon', 'try again in 3 seconds', 3_000],
  ['nothing', undefined, 'Rate limit exceeded. Please try again later.', undefined],
])('reads %s', (_, header, message, expected) => {
  expect(retryAfterMs(header, answeredAt, message)).toBe(expected);
});
