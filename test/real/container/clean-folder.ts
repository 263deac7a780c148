// Runs the image's build steps in an empty folder, for machines on which no container runs.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, run, temporaryFolder } from './commands.ts';
import { DaemonProcess, type Deployment, type StartedDaemon, type StartOptions } from './deployment.ts';

/** The image's user. Only root can start a process as this user. */
const NOBODY = 65532;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

export const prepareFolder = async (): Promise<Deployment> => {
  const folder = await temporaryFolder();
  const [app, data] = [join(folder.path, 'app'), join(folder.path, 'data')];
  await chmod(folder.path, 0o755);
  for (const path of [app, data]) await mkdir(path);
  if (identity.uid !== undefined) await chown(data, NOBODY, NOBODY);
  const sources = await namesIn('.dockerignore', /^!(.*)$/gm);
  for (const name of sources) await cp(join(ROOT, name), join(app, name), { recursive: true });
  for (const step of await namesIn('Dockerfile', /^RUN (npm .*)$/gm))
    await run({ cwd: app }, 'sh', '-c', step);
  for (const name of sources) if (!KEPT_FILES.includes(name)) await rm(join(app, name), { recursive: true });
  return {
    start: async (options) => start(app, data, options),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
};

/** The files of the sources that the image keeps. */
const KEPT_FILES = ['LICENSE', 'package.json'];

const namesIn = async (file: string, pattern: RegExp): Promise<string[]> =>
  [...(await readFile(join(ROOT, file), 'utf8')).matchAll(pattern)].map(([, name = '']) => name);

const start = (app: string, data: string, { config, env }: StartOptions): StartedDaemon => {
  const environment = { PROXYWATCH_STORE: join(data, 'proxywatch.db'), ...env };
  const options = { cwd: data, env: environment, ...identity };
  const main = [join(app, 'dist/main.js'), 'run', '--config', join(config, 'config.yaml')];
  const daemon = new DaemonProcess(spawn(process.execPath, main, { ...options, stdio: 'pipe' }));
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
