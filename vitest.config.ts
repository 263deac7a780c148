import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { reporters } from './test/reporters.ts';

// biome-ignore lint/style/noDefaultExport: vitest reads the configuration from the default export
export default defineConfig({
  test: {
    reporters,
    include: ['test/**/*.test.ts'],
    // These have their own configurations: they need other programs, more time, or a copy of the repository.
    exclude: ['test/real/**', 'test/long/**', 'test/**/*.{slow,long}.test.ts', 'test/contributing/**'],
    // On two busy cores, the slowest test takes 25 s.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // A worker imports a module once, and not once for each file. Tests must undo their changes of global state.
    isolate: false,
  },
});
