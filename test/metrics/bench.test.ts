// Tests that the benchmark of the exposition still runs. Its numbers are not checked.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('prints the numbers of the exposition', async () => {
  const args = ['bench/main.ts', 'exposition', '--users', '100', '--rounds', '1'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/^600 series$/m);
  expect(stdout).toMatch(/^rendering: CPU [\d.]+ ms, wall [\d.]+ ms$/m);
  expect(stdout).toMatch(/^static \/ ours: [\d.]+$/m);
  expect(stdout).toMatch(
    /^\| time of a scrape \/ that of a static file with the same bytes \| [\d.]+ × \| 1.2 × \|$/m,
  );
});
