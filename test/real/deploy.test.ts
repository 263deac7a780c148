// The deployments' configurations, by the checkers of the programs that they are for.

import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT, temporaryFolder } from './container/commands.ts';
import { describeWith, missingOf } from './with-programs.ts';

/** The least exposed is 0; units that nobody looked after have 9.6. */
const MOST_EXPOSED = 2;

const say = async (command: string, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(command, args);
  return stdout + stderr;
};

describeWith(['promtool', 'amtool'], 'the checkers', () => {
  test('promtool takes the configuration with the rules beside it, as they are mounted', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'prometheus.yml');
    await cp(join(ROOT, 'deploy/prometheus/prometheus.yml'), file);
    await cp(join(ROOT, 'prometheus/rules'), join(folder.path, 'rules'), { recursive: true });
    const said = await say('promtool', 'check', 'config', file);
    expect(said).toMatch(/SUCCESS: 1 rule files found/);
    expect(said).toMatch(/SUCCESS: \d+ rules found/);
  });

  test('amtool takes the configuration, and its routes lead to receivers', async () => {
    const file = join(ROOT, 'deploy/alertmanager/alertmanager.yml');
    expect(await say('amtool', 'check-config', file)).toMatch(/ SUCCESS\n.*- 2 receivers/s);
    const routes = ['config', 'routes', 'test', `--config.file=${file}`];
    const routeOf = (severity: string) => say('amtool', ...routes, `severity=${severity}`);
    expect(await routeOf('critical')).toMatch(/^team-urgent$/m);
    expect(await routeOf('warning')).toMatch(/^team$/m);
  });
});

test.skipIf(missingOf(['systemd-analyze']).length > 0)(
  'systemd takes the unit, and finds it well hardened',
  async () => {
    await using folder = await temporaryFolder();
    const unit = await readFile(join(ROOT, 'deploy/systemd/proxywatch.service'), 'utf8');
    const file = join(folder.path, 'proxywatch.service');
    // The program need not be installed to look at the unit.
    await writeFile(file, unit.replace('/usr/local/bin/proxywatch', process.execPath));
    expect(await say('systemd-analyze', 'verify', '--man=no', file)).toBe('');
    const [, exposure] =
      /exposure level for \S+: ([\d.]+)/.exec(
        await say('systemd-analyze', 'security', '--offline=true', file),
      ) ?? [];
    expect(Number(exposure)).toBeLessThan(MOST_EXPOSED);
  },
);
