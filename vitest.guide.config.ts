import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

// biome-ignore lint/style/noDefaultExport: vitest reads the configuration from the default export
export default defineConfig({
  test: {
    reporters,
    include: ['test/contributing/**/*.test.ts'],
    // One step of the guide runs all tests.
    testTimeout: 1_200_000,
    hookTimeout: 120_000,
    // Each step needs the steps before it.
    bail: 1,
  },
});
