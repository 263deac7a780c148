// Builds the image with buildah and runs it with podman: read-only, and without capabilities or a way to gain any.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BASE, makeBaseImage } from './base-image.ts';
import { BUILD, engineEnvironment, ROOT, type RunOptions, run, temporaryFolder } from './commands.ts';
import { DaemonProcess, type Deployment, exitCodeOf, type StartedDaemon } from './deployment.ts';

export const CONTAINER_PROGRAMS = ['buildah', 'podman', 'runc', 'mmdebstrap'];

const NAME = `proxywatch-test-${process.pid}`;
const IMAGE = `localhost/${NAME}`;
const HARDENED = [
  '--read-only',
  '--tmpfs',
  '/tmp',
  '--cap-drop',
  'all',
  '--security-opt',
  'no-new-privileges',
];
const RUN = ['run', '--rm', '--network', 'host', '--pull', 'never', ...HARDENED];
const STOP_WITHIN_S = '10';

/** Returns why no container can run on this machine, or undefined if one can. */
export const containerUnavailableReason = async (): Promise<string | undefined> => {
  await using folder = await temporaryFolder();
  const runOptions = { env: await engineEnvironment(folder.path) };
  try {
    await makeBaseImage(runOptions);
    await run(runOptions, 'podman', ...RUN, BASE, 'node', '--version');
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return (stderr ?? message).trim().split('\n').at(-1);
  }
};

export const buildImage = async (): Promise<Deployment> => {
  const folder = await temporaryFolder();
  const runOptions = { env: await engineEnvironment(folder.path) };
  const base = ['--build-arg', `BASE=${BASE}`, '--tag', IMAGE];
  await run(
    { ...runOptions, cwd: ROOT },
    'buildah',
    ...BUILD,
    ...(await npmMounts(folder.path)),
    ...base,
    '.',
  );
  return {
    start: async ({ config, env }) => {
      const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
      const mounts = ['--volume', `${config}:/etc/proxywatch:ro`];
      const args = [...RUN, '--name', NAME, ...variables, ...mounts, IMAGE];
      return startedDaemon(
        runOptions,
        new DaemonProcess(spawn('podman', args, { ...runOptions, stdio: 'pipe' })),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await run(runOptions, 'podman', 'rmi', '--force', IMAGE);
      await folder[Symbol.asyncDispose]();
    },
  };
};

const startedDaemon = (runOptions: RunOptions, daemon: DaemonProcess): StartedDaemon => ({
  daemon,
  checkHealth: () => exitCodeOf(run(runOptions, 'podman', 'healthcheck', 'run', NAME)),
  shell: (command) => run(runOptions, 'podman', 'exec', '--workdir', '/app', NAME, 'sh', '-c', command),
  stop: async () => {
    if (daemon.isRunning) await run(runOptions, 'podman', 'stop', '--time', STOP_WITHIN_S, NAME);
    return daemon.ended;
  },
});

const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const CACHE = '/var/cache/npm';

/** Returns mounts of the machine's npm registry setting, certificate authorities and package cache for the build. */
const npmMounts = async (folder: string): Promise<string[]> => {
  const registry = (await run({}, 'npm', 'config', 'get', 'registry')).trim();
  const hasAuthorities = existsSync(AUTHORITIES);
  const npmrc = join(folder, 'npmrc');
  const settings = [
    `registry=${registry}`,
    `cache=${CACHE}`,
    ...(hasAuthorities ? [`cafile=${AUTHORITIES}`] : []),
  ];
  await writeFile(npmrc, settings.join('\n'));
  const cache = (await run({}, 'npm', 'config', 'get', 'cache')).trim();
  const mounts = [`${npmrc}:/usr/local/etc/npmrc:ro`];
  if (existsSync(cache)) mounts.push(`${cache}:${CACHE}:O`);
  if (hasAuthorities) mounts.push(`${AUTHORITIES}:${AUTHORITIES}:ro`);
  return mounts.flatMap((mount) => ['--volume', mount]);
};
