import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

// biome-ignore lint/style/noDefaultExport: vitest reads the configuration from the default export
export default defineConfig({
  test: {
    reporters,
    include: ['test/long/**/*.test.ts', 'test/**/*.long.test.ts'],
    testTimeout: 600_000,
    maxWorkers: 2,
  },
});
