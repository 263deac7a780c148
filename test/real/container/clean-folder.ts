// The image's steps in a folder that has nothing else: for machines on which no container runs.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, run, temporaryFolder } from './commands.ts';
import { Daemon, type Place, type Started, type StartOptions } from './place.ts';

/** The image's user, whom only root can become. */
const NOBODY = 65532;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

export const prepareFolder = async (): Promise<Place> => {
  const folder = await temporaryFolder();
  const [app, data] = [join(folder.path, 'app'), join(folder.path, 'data')];
  await chmod(folder.path, 0o755);
  for (const path of [app, data]) await mkdir(path);
  if (identity.uid !== undefined) await chown(data, NOBODY, NOBODY);
  const isUsed = await namesIn('.dockerignore', /^!(.*)$/gm);
  for (const name of isUsed) await cp(join(ROOT, name), join(app, name), { recursive: true });
  for (const step of await namesIn('Dockerfile', /^RUN (npm .*)$/gm))
    await run({ cwd: app }, 'sh', '-c', step);
  for (const name of isUsed) if (!KEPT.includes(name)) await rm(join(app, name), { recursive: true });
  return {
    start: async (options) => start(app, data, options),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
};

/** What the image takes along of the sources. */
const KEPT = ['LICENSE', 'package.json'];

const namesIn = async (file: string, pattern: RegExp): Promise<string[]> =>
  [...(await readFile(join(ROOT, file), 'utf8')).matchAll(pattern)].map(([, name = '']) => name);

const start = (app: string, data: string, { config, env }: StartOptions): Started => {
  const environment = { PROXYWATCH_STORE: join(data, 'proxywatch.db'), ...env };
  const options = { cwd: data, env: environment, ...identity };
  const main = [join(app, 'dist/main.js'), 'run', '--config', join(config, 'config.yaml')];
  const daemon = new Daemon(spawn(process.execPath, main, { ...options, stdio: 'pipe' }));
  return {
    daemon,
    checkHealth: async () =>
      (await once(spawn(process.execPath, [join(app, 'dist/health-check.js')], options), 'close'))[0],
    shell: (command) => run({ cwd: app }, 'sh', '-c', command),
    stop: () => {
      daemon.child.kill('SIGTERM');
      return daemon.ended;
    },
  };
};
