// Tests that no pattern of an expectation keeps the daemon busy, whatever the target answers.

import { describe, expect, it } from 'vitest';
import { expectOptions } from '../../src/collectors/probes/options.ts';
import { FakeProxy } from './fake-proxy.ts';
import { outcomeOf, run } from './run-probe.ts';

/** As much as a probe reads. A pattern that fails only at the end of the text makes a backtracking search endless. */
const LENGTH = 60_000;
const REPEATED = `${'a'.repeat(LENGTH)}!`;

describe.each([
  ['(a+)+$', REPEATED],
  ['^(?:a|a)*$', REPEATED],
  ['.*foo.*foo.*bar', 'foo '.repeat(LENGTH / 4)],
  [' +$', `${' '.repeat(LENGTH)}x`],
])('the pattern %s', (pattern, text) => {
  it.each([
    ['body', { body: pattern }, `HTTP/1.1 200 OK\r\n\r\n${text}`],
    ['header', { headers: { 'x-text': pattern } }, `HTTP/1.1 200 OK\r\nX-Text: "${text}"\r\n\r\n`],
  ])('fails soon in a long %s', async (cause, options, answer) => {
    await using target = await FakeProxy.start((socket) => socket.once('data', () => socket.end(answer)));
    const url = `http://127.0.0.1:${target.port}/`;
    const result = await run({ url, depth: 'http', expect: expectOptions.parse(options) });
    expect(outcomeOf(result)).toBe(`response_${cause}`);
  });
});
