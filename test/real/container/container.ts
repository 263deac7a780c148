// The image, built by buildah and run by podman: read-only, without capabilities or a way to gain any.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BASE, makeBaseImage } from './base-image.ts';
import { BUILD, engineEnvironment, ROOT, run, temporaryFolder, type Where } from './commands.ts';
import { Daemon, exitCodeOf, type Place, type Started } from './place.ts';

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

/** Why no container runs on this machine; undefined where one does. */
export const whyNoContainer = async (): Promise<string | undefined> => {
  await using folder = await temporaryFolder();
  const where = { env: await engineEnvironment(folder.path) };
  try {
    await makeBaseImage(where);
    await run(where, 'podman', ...RUN, BASE, 'node', '--version');
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return (stderr ?? message).trim().split('\n').at(-1);
  }
};

export const buildImage = async (): Promise<Place> => {
  const folder = await temporaryFolder();
  const where = { env: await engineEnvironment(folder.path) };
  const base = ['--build-arg', `BASE=${BASE}`, '--tag', IMAGE];
  await run({ ...where, cwd: ROOT }, 'buildah', ...BUILD, ...(await npmMounts(folder.path)), ...base, '.');
  return {
    start: async ({ config, env }) => {
      const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
      const mounts = ['--volume', `${config}:/etc/proxywatch:ro`];
      const args = [...RUN, '--name', NAME, ...variables, ...mounts, IMAGE];
      return startedIn(where, new Daemon(spawn('podman', args, { ...where, stdio: 'pipe' })));
    },
    [Symbol.asyncDispose]: async () => {
      await run(where, 'podman', 'rmi', '--force', IMAGE);
      await folder[Symbol.asyncDispose]();
    },
  };
};

const startedIn = (where: Where, daemon: Daemon): Started => ({
  daemon,
  checkHealth: () => exitCodeOf(run(where, 'podman', 'healthcheck', 'run', NAME)),
  shell: (command) => run(where, 'podman', 'exec', '--workdir', '/app', NAME, 'sh', '-c', command),
  stop: async () => {
    if (daemon.isRunning) await run(where, 'podman', 'stop', '--time', STOP_WITHIN_S, NAME);
    return daemon.ended;
  },
});

const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const CACHE = '/var/cache/npm';

/** The machine's registry, authorities and cache of packages: a build has none of its own. */
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
