// Checks the configurations in deploy/ with the tools of the programs that use them.

import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT, temporaryFolder } from './container/commands.ts';
import { describeWith, missingOf } from './with-programs.ts';

/** systemd's exposure level is from 0 (best) to 10. A unit without hardening has 9.6. */
const MAX_EXPOSURE = 2;

const outputOf = async (command: string, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(command, args);
  return stdout + stderr;
};

describeWith(['promtool', 'amtool'], 'the checkers', () => {
  test('promtool accepts the configuration with the rules, as they are mounted', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'prometheus.yml');
    await cp(join(ROOT, 'deploy/prometheus/prometheus.yml'), file);
    await cp(join(ROOT, 'prometheus/rules'), join(folder.path, 'rules'), { recursive: true });
    const output = await outputOf('promtool', 'check', 'config', file);
    expect(output).toMatch(/SUCCESS: 1 rule files found/);
    expect(output).toMatch(/SUCCESS: \d+ rules found/);
  });

  test('amtool accepts the configuration, and its routes lead to receivers', async () => {
    const file = join(ROOT, 'deploy/alertmanager/alertmanager.yml');
    expect(await outputOf('amtool', 'check-config', file)).toMatch(/ SUCCESS\n.*- 2 receivers/s);
    const routes = ['config', 'routes', 'test', `--config.file=${file}`];
    const routeOf = (severity: string) => outputOf('amtool', ...routes, `severity=${severity}`);
    expect(await routeOf('critical')).toMatch(/^team-urgent$/m);
    expect(await routeOf('warning')).toMatch(/^team$/m);
  });
});

test.skipIf(missingOf(['systemd-analyze']).length > 0)(
  'systemd accepts the unit and rates it as well hardened',
  async () => {
    await using folder = await temporaryFolder();
    const unit = await readFile(join(ROOT, 'deploy/systemd/proxywatch.service'), 'utf8');
    const file = join(folder.path, 'proxywatch.service');
    // The unit is checked without an installed proxywatch.
    await writeFile(file, unit.replace('/usr/local/bin/proxywatch', process.execPath));
    expect(await outputOf('systemd-analyze', 'verify', '--man=no', file)).toBe('');
    const [, exposure] =
      /exposure level for \S+: ([\d.]+)/.exec(
        await outputOf('systemd-analyze', 'security', '--offline=true', file),
      ) ?? [];
    expect(Number(exposure)).toBeLessThan(MAX_EXPOSURE);
  },
);
