import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { reporters } from './test/reporters.ts';

// biome-ignore lint/style/noDefaultExport: vitest reads the configuration from the default export
export default defineConfig({
  test: {
    reporters,
    include: ['test/long/**/*.test.ts', 'test/**/*.{slow,long}.test.ts'],
    testTimeout: 600_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Simulated accounts create many short-lived objects. A larger young generation collects most of them cheaply.
    execArgv: ['--max-semi-space-size=64'],
  },
});
