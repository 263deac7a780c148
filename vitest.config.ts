import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

// biome-ignore lint/style/noDefaultExport: vitest reads the configuration from the default export
export default defineConfig({
  test: {
    reporters,
    include: ['test/**/*.test.ts'],
    // These have their own configurations: they need other programs, more time, or a copy of the repository.
    exclude: ['test/real/**', 'test/long/**', 'test/**/*.long.test.ts', 'test/contributing/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    // A worker imports a module once, and not once for each file. Tests must undo their changes of global state.
    isolate: false,
  },
});
