// Tests the alert rules with promtool and two instances of proxywatch that have accounts of the same names.

import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createFolder } from '../config/support.ts';
import { withTwoInstances } from './two-instances.ts';
import { describeWith } from './with-programs.ts';

/** `instances.yml` has its own instances. */
const FILES = readdirSync('prometheus/tests').filter((name) => name !== 'instances.yml');

describeWith(['promtool'], 'promtool', () => {
  test.each(FILES)('%s passes', async (file) => {
    const path = join(createFolder({}), 'tests.yml');
    writeFileSync(path, withTwoInstances(join('prometheus/tests', file)));
    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', path]);
    expect(stdout).toContain('SUCCESS');
  });
});
