// Follows the guide to a collector word for word in a copy of the repository, up to the metric of the new collector.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Clone } from './clone.ts';
import { readSteps, type Step } from './guide.ts';

/** This command runs until it is stopped. */
const SERVES = 'npm start';

let clone: Clone;
let isServing = false;
beforeAll(() => {
  clone = new Clone();
});
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
      if (step.command === SERVES) {
        clone.start(step.command);
        isServing = true;
      } else if (isServing) await clone.repeat(step.command, step.expected);
      else await clone.run(step.command, step.expected);
  }
};

it.each(readSteps())('$title', take);

it('the last step shows the metric', () => {
  expect(readSteps().at(-1)).toMatchObject({
    expected: expect.stringContaining('proxywatch_country_nodes{'),
  });
});
