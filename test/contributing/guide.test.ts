// Follows the guide to a collector word for word in a copy of the repository, up to the metric of the new collector.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Clone } from './clone.ts';
import { readSteps, type Step } from './guide.ts';

/** This command runs until it is stopped. */
const SERVES = 'npm start';
const PATIENCE = { timeout: 120_000, interval: 1_000 };
/**
 * CI has run all tests already. In the copy, it runs only those that are about every collector, because all tests would
 * take too long. Without GUIDE_TESTS=collectors, the test runs the command as the guide shows it.
 */
const CHECK = 'npm run check';
const CHECK_OF_COLLECTORS = `npm run lint && npm run types && npx vitest run ${[
  ...['test/alerts/table', 'test/blast-radius', 'test/cli/check-config', 'test/cli/doctor-endpoints'],
  ...[
    'test/collectors/countries',
    'test/collectors/names',
    'test/config',
    'test/daemon/settings',
    'test/docs',
  ],
  ...['test/fuzz/decoders', 'test/grafana', 'test/http/api', 'test/metrics', 'test/provider/report'],
  ...['test/simulator/endpoints', 'test/store/move', 'test/store/sqlite/migrations'],
].join(' ')}`;
/** The end of a command's output explains why it failed. */
const SHOWN_CHARACTERS = 20_000;

const isShort = process.env.GUIDE_TESTS === 'collectors';
const clone = new Clone();
let isServing = false;
beforeAll(() => clone.fill());
afterAll(() => clone[Symbol.asyncDispose]());

const take = async (step: Step): Promise<void> => {
  switch (step.kind) {
    case 'create': {
      const file = join(clone.folder, step.path);
      expect(existsSync(file), `${step.path} exists already`).toBe(false);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, step.text);
      break;
    }
    case 'change':
      execFileSync('git', ['apply'], { cwd: clone.folder, input: step.diff });
      break;
    case 'run':
      await run(isShort && step.command === CHECK ? CHECK_OF_COLLECTORS : step.command, step.expected);
  }
};

const run = async (command: string, expected: string): Promise<void> => {
  if (command === SERVES) {
    clone.start(command);
    isServing = true;
  } else if (isServing) {
    // The daemon needs some time until it answers and has read its data.
    await expect.poll(async () => (await clone.run(command)).output, PATIENCE).toContain(expected);
  } else {
    const { code, output } = await clone.run(command);
    expect(code, output.slice(-SHOWN_CHARACTERS)).toBe(0);
    expect(output).toContain(expected);
  }
};

it.each(readSteps())('$title', take);

it('the last step shows the metric', () => {
  expect(readSteps().at(-1)).toMatchObject({
    expected: expect.stringContaining('proxywatch_country_nodes{'),
  });
});
