// Checks the exposition of an account with all collectors with promtool and with curl.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getText } from '../cli/program.ts';
import { ApiHarness } from '../http/api/api-harness.ts';
import { checkMetrics } from './check-metrics.ts';
import { describeWith } from './with-programs.ts';

const MAX_BYTES = 64 * 1024 ** 2;

let api: ApiHarness;

beforeAll(async () => {
  api = await ApiHarness.build({ users: 150, proxies: 60 });
});
afterAll(() => api[Symbol.asyncDispose]());

describeWith(['promtool'], 'promtool', () => {
  test('finds nothing wrong', async () => {
    const text = await getText(`${api.url}/metrics`);
    expect(await checkMetrics(text)).toEqual({ code: 0, output: '' });
  });

  test('finds an error if there is one', async () => {
    expect((await checkMetrics('# TYPE a counter\na 1\n')).code).toBe(3);
  });
});

describeWith(['curl'], 'curl --compressed', () => {
  const curl = async (path: string, ...options: string[]): Promise<string> => {
    const args = ['--silent', '--fail', '--max-time', '20', ...options, api.url + path];
    return (await promisify(execFile)('curl', args, { maxBuffer: MAX_BYTES })).stdout;
  };

  test('gets the same series as without compression', async () => {
    const series = async (...options: string[]) => linesOf(await curl('/metrics', ...options)).map(seriesOf);
    const compressed = await series('--compressed');
    expect(compressed).toEqual(await series());
    expect(compressed.length).toBeGreaterThan(1_000);
  });

  test('gets the same values', async () => {
    const ofUsers = async (...options: string[]) =>
      linesOf(await curl('/metrics?collector=proxy_users', ...options)).filter((line) =>
        line.includes('user-'),
      );
    const compressed = await ofUsers('--compressed');
    expect(compressed).toEqual(await ofUsers());
    expect(compressed.length).toBeGreaterThan(100);
  });
});

const linesOf = (text: string): string[] => text.trimEnd().split('\n');

/** Returns a sample's line without its value. */
const seriesOf = (line: string): string => line.replace(/ \S+$/, '');
