// Checks the demo's exposition with promtool and with curl.

import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getText, Program } from '../cli/program.ts';
import { checkMetrics } from './check-metrics.ts';
import { describeWith } from './with-programs.ts';

const MAX_BYTES = 64 * 1024 ** 2;

let demo: Program;
let url = '';

beforeAll(async () => {
  demo = Program.start(['demo', '--listen', '127.0.0.1:0']);
  url = await demo.url();
});
afterAll(() => demo[Symbol.asyncDispose]());

describeWith(['promtool'], 'promtool', () => {
  test('finds nothing wrong', async () => {
    const text = await getText(`${url}/metrics`);
    expect(await checkMetrics(text)).toEqual({ code: 0, output: '' });
  });

  test('finds an error if there is one', async () => {
    expect((await checkMetrics('# TYPE a counter\na 1\n')).code).toBe(3);
  });
});

describeWith(['curl'], 'curl --compressed', () => {
  const curl = async (path: string, ...options: string[]): Promise<string> => {
    const args = ['--silent', '--fail', '--max-time', '20', ...options, url + path];
    return (await promisify(execFile)('curl', args, { maxBuffer: MAX_BYTES })).stdout;
  };

  test('gets the same series as without compression', async () => {
    // While the first runs end, series appear between two scrapes.
    const series = async (...options: string[]) => linesOf(await curl('/metrics', ...options)).map(seriesOf);
    const isSame = async () => isDeepStrictEqual(await series('--compressed'), await series());
    await expect.poll(isSame, { timeout: 60_000 }).toBe(true);
    expect((await series()).length).toBeGreaterThan(1_000);
  });

  test('gets the same values', async () => {
    // Users are polled every five minutes, so at most once between these requests.
    const ofUsers = async (...options: string[]) =>
      linesOf(await curl('/metrics?collector=proxy_users', ...options)).filter((line) =>
        line.includes('user-'),
      );
    const isSame = async () => isDeepStrictEqual(await ofUsers('--compressed'), await ofUsers());
    await expect.poll(isSame).toBe(true);
    expect((await ofUsers()).length).toBeGreaterThan(100);
  });
});

const linesOf = (text: string): string[] => text.trimEnd().split('\n');

/** Returns a sample's line without its value. */
const seriesOf = (line: string): string => line.replace(/ \S+$/, '');
