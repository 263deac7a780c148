import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

/** The promises that each submission is checked for beside `npm test`, each in its cheapest form. */
const PROMISES = [
  // Counters equal the truth, also after a kill and a correction.
  ...['test/long/truth', 'test/long/kill', 'test/collectors/ledger-corrections.long'],
  // No secret gets out.
  ...['test/cli/secrets.long', 'test/cli/probe-secrets.long', 'test/provider/report/canaries.long'],
  // Stores of earlier versions go on.
  ...['test/store/sqlite/upgrade.long', 'test/http/api/upgraded-store.long'],
  // No verdict blames the wrong one.
  'test/verdicts/search.long',
  // Real engines: rules, exposition, a scrape, remote write, notifications.
  ...['rules', 'exposition', 'prometheus', 'remote-write/remote-write', 'alertmanager', 'own-failures'].map(
    (name) => `test/real/${name}`,
  ),
  // The image, the two commands of the README, and the page in a browser.
  ...['container/container', 'readme', 'page'].map((name) => `test/real/${name}`),
];

// biome-ignore lint/style/noDefaultExport: vitest reads the configuration from the default export
export default defineConfig({
  test: {
    reporters,
    include: PROMISES.map((file) => `${file}.test.ts`),
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    // Simulated accounts create many short-lived objects. A larger young generation collects most of them cheaply.
    execArgv: ['--max-semi-space-size=64'],
  },
});
