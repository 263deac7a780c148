import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

// biome-ignore lint/style/noDefaultExport: vitest reads the configuration from the default export
export default defineConfig({
  test: {
    reporters,
    include: ['test/real/**/*.test.ts'],
    // On two busy cores, the slowest test takes 85 s.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    // The default of one second is too short for a page on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
