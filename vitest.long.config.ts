import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the configuration from the default export
export default defineConfig({
  test: { include: ['test/long/**/*.test.ts'], testTimeout: 600_000, maxWorkers: 2 },
});
