// Tests that what the tutorial of the first ten minutes shows and sends fits the demo and the simulated provider.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { demoProxies, demoScenario } from '../../src/simulator/demo-scenario.ts';
import { Faults } from '../../src/simulator/faults/faults.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { textOf } from './documents.ts';

const TUTORIAL = textOf('docs/tutorials/first-ten-minutes.md');

test('its configuration loads, evaluates alerts and uses the default addresses', () => {
  const [, configuration = ''] = /<<'END'\n(.*?)^END$/ms.exec(TUTORIAL) ?? [];
  const folder = createFolder({ 'config.yaml': configuration });
  const { alerts, server, accounts } = loadSettings(join(folder, 'config.yaml'), {}).config;
  expect(alerts).toMatchObject({ evaluate: true, ProviderKeysRejected: { for: 0 } });
  expect(TUTORIAL).toContain(`http://${server.listen.host}:${server.listen.port}`);
  expect(TUTORIAL).toContain(`the simulated provider serves ${accounts[0]?.base_url} `);
});

test('the provider accepts its faults, and answers with what the page shows', () => {
  const sent = [...TUTORIAL.matchAll(/--data '(.*)'/g)].map(([, list = '']) => JSON.parse(list));
  const faults = new Faults(1);
  const answers = sent.map((list) => {
    faults.replace(list);
    return JSON.stringify(faults.list);
  });
  expect(answers).toHaveLength(2);
  expect(TUTORIAL).toContain(`\n${answers[0]}\n`);
  expect(answers[1]).toBe('[]');
});

test('the proxies that it names always fail in the demo', async () => {
  await using simulator = await startSimulator({ scenario: demoScenario, now: Date.now, proxies: {} });
  const listed = simulator.proxies.proxies;
  const failing = (demoScenario.outages ?? []).filter(({ kind, flap }) => kind === 'proxy' && !flap);
  const names = failing.flatMap(({ subject }) =>
    demoProxies(listed).flatMap(({ name }, index) =>
      listed[index]?.name.startsWith(`${subject}:`) ? [name] : [],
    ),
  );
  expect(names).toHaveLength(2);
  for (const name of names) expect(TUTORIAL).toContain(`proxy_id="${name}",url="",tester_server=""} 1`);
});
