import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { reporters } from './test/reporters.ts';

/** The promises that each submission is checked for beside `npm test` and the slow tests, each in its cheapest form. */
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
  ...['rules', 'exposition', 'prometheus', 'remote-write/remote-write', 'alertmanager'].map(
    (name) => `test/real/${name}`,
  ),
  // The image, the two commands of the README, and the page in a browser.
  ...['container/container', 'readme', 'page'].map((name) => `test/real/${name}`),
];

/** Simulated accounts create many short-lived objects. A larger young generation collects most of them cheaply. */
const execArgv = ['--max-semi-space-size=64'];

// biome-ignore lint/style/noDefaultExport: vitest reads the configuration from the default export
export default defineConfig({
  test: {
    reporters,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    execArgv,
    projects: [
      {
        extends: true,
        test: {
          name: 'promises',
          include: PROMISES.map((file) => `${file}.test.ts`),
          // More of them are in the nightly checks.
          env: {
            PROXYWATCH_KILLS: process.env.PROXYWATCH_KILLS ?? '10',
            PROXYWATCH_WORLDS: process.env.PROXYWATCH_WORLDS ?? '80',
          },
        },
      },
      // Like the tests of vitest.config.ts, but each takes seconds.
      { extends: true, test: { name: 'slow', include: ['test/**/*.slow.test.ts'], isolate: false } },
    ],
  },
});
