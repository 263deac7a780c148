// Tests that doctor writes the provider report to a file.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { providerReport } from '../../src/http/provider-report.ts';
import { DAY } from '../../src/lib/time.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { configText, runCommand } from './run-command.ts';

const provider = (): Promise<Simulator> =>
  startSimulator({
    scenario: { users: 3, pace: null, start: new Date(Date.now() - 3 * DAY).toISOString() },
    now: () => Date.now(),
  });

const folderFor = (simulator: Simulator): string =>
  createFolder({ 'config.yaml': configText(simulator, { catalog: {} }, { store: { path: 'store.db' } }) });

const runDoctorIn = (folder: string, report: string) =>
  runCommand(doctor, { config: join(folder, 'config.yaml'), report: join(folder, report) });

describe('doctor --report', () => {
  test('writes what the answers of all endpoints did differently, for the owner only', async () => {
    await using simulator = await provider();
    simulator.faults.add({ kind: 'extra_fields', endpoint: 'proxy_user', fields: { tier: 1 } });
    const folder = folderFor(simulator);
    const file = join(folder, 'report.json');
    writeFileSync(file, 'old', { mode: 0o644 });
    // An aborted command left it.
    writeFileSync(`${file}.partial`, 'older', { mode: 0o644 });
    const { code, stdout } = await runDoctorIn(folder, 'report.json');
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nok {6}provider report: .*report\.json lists how .*\n0 failed/),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [account] = providerReport.parse(JSON.parse(readFileSync(file, 'utf8'))).accounts;
    expect(account?.clock_ahead_seconds?.count).toBeGreaterThan(0);
    expect(account?.endpoints.map(({ endpoint, requests }) => [endpoint, Object.keys(requests)])).toEqual([
      ['analytics/graph', ['200']],
      ['checkout/catalog', ['200']],
      ['product/search', ['200']],
      ['proxy_user/search', ['200']],
      ['residential_ledger/search', ['200']],
    ]);
    expect(account?.endpoints[3]?.unknown_fields).toMatchObject([
      { path: '', named: [{ name: 'tier', types: { integer: 1 } }] },
      { path: 'data[]', named: [{ name: 'tier' }] },
    ]);
  });

  test('writes it also if checks fail', async () => {
    await using simulator = await provider();
    simulator.faults.add({ kind: 'status', status: 403, endpoint: 'ledger' });
    const folder = folderFor(simulator);
    expect((await runDoctorIn(folder, 'report.json')).code).toBe(1);
    const [account] = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')).accounts;
    expect(account.endpoints.at(-1)).toMatchObject({ requests: { 403: 1 }, errors: { compared_answers: 1 } });
  });

  test.each([
    [
      'none/report.json',
      /^error: \S+\/none\/report\.json: the folder \S+\/none does not exist\. Create it with "mkdir -p /,
    ],
    ['.', /^error: EISDIR: /],
  ])('names a file that cannot be written before any request: %s', async (file, message) => {
    await using simulator = await provider();
    const { code, stdout, stderr } = await runDoctorIn(folderFor(simulator), file);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('leaves no other file', async () => {
    await using simulator = await provider();
    const folder = folderFor(simulator);
    await runDoctorIn(folder, 'report.json');
    expect(readdirSync(folder).filter((name) => name.startsWith('report'))).toEqual(['report.json']);
  });
});
