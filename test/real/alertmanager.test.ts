// Tests with a real Alertmanager that it accepts alerts, keeps those that are sent again, and ends resolved ones.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { AlertRig, alertNamed, DESCRIPTION } from '../alerts/alert-rig.ts';
import { waitUntil } from '../cli/program.ts';
import { freeAddress } from '../support/free-port.ts';
import { ServerProcess } from './server-process.ts';
import { describeWith } from './with-programs.ts';

const PROGRAM = 'prometheus-alertmanager';

interface AlertmanagerAlert {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly startsAt: string;
  readonly endsAt: string;
}

const startAlertmanager = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-alertmanager-'));
  await writeFile(join(folder, 'config.yml'), 'route: {receiver: none}\nreceivers: [{name: none}]\n');
  const url = `http://${await freeAddress()}`;
  const args = [
    `--config.file=${join(folder, 'config.yml')}`,
    `--storage.path=${join(folder, 'data')}`,
    `--web.listen-address=${url.slice('http://'.length)}`,
    '--cluster.listen-address=',
  ];
  const server = await ServerProcess.start(PROGRAM, args, `${url}/-/ready`);
  return {
    url,
    /** Returns the firing alerts. */
    alerts: async () => (await (await fetch(`${url}/api/v2/alerts`)).json()) as AlertmanagerAlert[],
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

describeWith([PROGRAM], 'Alertmanager', () => {
  test('keeps alerts for as long as they are sent, and ends resolved ones', async () => {
    await using alertmanager = await startAlertmanager();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], {
      receivers: [{ type: 'alertmanager', urls: [alertmanager.url] }],
    });
    // Alertmanager compares the times of alerts with its own clock.
    rig.clock.jumpTo(Date.now());
    const startedAt = new Date(rig.clock.now()).toISOString();
    low.subjects.set('a', 3).set('b', 4);
    await rig.run();
    const received = await alertmanager.alerts();
    expect(received.map(({ labels, annotations }) => ({ labels, annotations }))).toEqual(
      expect.arrayContaining(
        ['a', 'b'].map((subject, index) => ({
          labels: { alertname: 'Low', severity: 'warning', account: 'main', subject },
          annotations: {
            summary: `${subject} stands at ${index + 3}.`,
            description: DESCRIPTION,
            value: String(index + 3),
          },
        })),
      ),
    );
    const [first] = received;
    await rig.pass(MINUTE + SECOND);
    const [again] = await alertmanager.alerts();
    expect(again?.startsAt).toBe(startedAt);
    expect(Date.parse(again?.endsAt ?? '')).toBeGreaterThan(Date.parse(first?.endsAt ?? ''));
    // Alertmanager does not resolve an alert whose end is in the future, so the clock goes back to the current time.
    rig.clock.jumpTo(Date.now());
    low.subjects.delete('a');
    await rig.run();
    await waitUntil(async () => (await alertmanager.alerts()).length === 1);
    expect(await alertmanager.alerts()).toMatchObject([{ labels: { subject: 'b' } }]);
  });
});
