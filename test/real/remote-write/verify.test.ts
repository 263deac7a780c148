// Tests that `remote-write verify` names the days that real engines have lost samples of, and mends them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type VerifyOptions, verify } from '../../../src/cli/remote-write/verify.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { type CommandResult, runCommand } from '../../cli/run-command.ts';
import { Harness } from '../../support/harness.ts';
import { describeWith } from '../with-programs.ts';
import { startPrometheus, startVictoriaMetrics } from './engines.ts';
import { LossyRelay } from './lossy-relay.ts';

/** Engines judge times by their own clocks, and the command compares days that are over. */
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const START = TODAY - 3 * DAY + 12 * HOUR + 90 * SECOND;
const LOST_DAY = TODAY - 3 * DAY;

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const TRAFFIC = { graphs: [{ name: 'shop', hostname: 'shop.example' }] };

describeWith(['prometheus', 'victoria-metrics'], 'remote-write verify', () => {
  it.each([
    ['Prometheus', () => startPrometheus('30d')],
    ['VictoriaMetrics', startVictoriaMetrics],
  ])(
    '%s lost the first 32 samples of a series: verify names the day, and repairs it',
    {
      timeout: 300_000,
    },
    async (_, start) => {
      await using engine = await start();
      await using relay = await LossyRelay.start(engine);
      relay.loses = ({ at }, { __name__: name }) =>
        name === 'proxywatch_history_graph_bytes' && at >= LOST_DAY && at < LOST_DAY + 32 * MINUTE;
      const remoteWrite = [
        {
          name: 'engine',
          url: relay.url,
          query_url: engine.url,
          start: '2d',
          external_labels: { region: 'eu' },
          repeat_old: false,
        },
      ];
      await using harness = await Harness.build({
        ...{ now: new Date(START).toISOString(), remoteWrite, account: { traffic: TRAFFIC } },
      });
      const run = (options: Partial<VerifyOptions> = {}): Promise<CommandResult> => {
        const config = join(harness.folder, 'config.yaml');
        const accounts = [{ name: 'main', public_key: 'public', private_key: 'private', traffic: TRAFFIC }];
        const store = { path: harness.storePath };
        writeFileSync(config, JSON.stringify({ remote_write: remoteWrite, store, accounts }));
        return runCommand(verify, { config, receiver: 'engine', from: dateOf(TODAY - 5 * DAY), ...options });
      };
      for (let hour = 0; hour < 24; hour += 1) await harness.advance(HOUR);
      expect(relay.lost).toBe(32);
      // VictoriaMetrics shows new samples after a second otherwise.
      await engine.vector('up', TODAY);

      const found = await run();
      expect([found.code, found.stderr]).toEqual([1, '']);
      const lines = found.stdout.split('\n');
      expect(lines[0]).toMatch(/^account +day +series +sent +received +missing$/);
      expect(lines[1]).toMatch(
        new RegExp(
          `^main +${dateOf(LOST_DAY)} +proxywatch_history_graph_bytes\\{.*graph="shop".*\\} +[\\d,]+ +[\\d,]+ +[\\d,]+$`,
        ),
      );
      expect(found.stdout).toMatch(/^engine: 1 of \d+ daily sums DIFFERS, on \d{4}-\d\d-\d\d$/m);
      expect(lines.filter((line) => line.startsWith('main'))).toHaveLength(1);
      expect(found.stdout).toContain(
        `left out: ${dateOf(TODAY - 5 * DAY)} of main, the receiver gets no history from before its start`,
      );
      expect(await run({ repair: true })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('another proxywatch is using this store'),
      });

      await harness.stop();
      relay.loses = () => false;
      expect(await run({ repair: true })).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringContaining(`engine: rewound for ${dateOf(LOST_DAY)}. Start the daemon`),
      });
      await harness.start();
      for (let hour = 0; hour < 2; hour += 1) await harness.advance(HOUR);
      await engine.vector('up', TODAY);
      const repaired = await run({ to: dateOf(LOST_DAY) });
      expect(repaired).toMatchObject({ code: 0, stderr: '' });
      expect(repaired.stdout).toMatch(/^engine: none of \d\d daily sums differs$/m);
    },
  );
});
