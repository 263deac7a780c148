// Other programs, run to their end, and what they said when they failed.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../../..');

const MOST_BYTES = 16 * 1024 ** 2;
const TIMEOUT_MS = 300_000;

export interface Where {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Gives what the command prints. Rejects with what it said when it fails. */
export const run = async (where: Where, command: string, ...args: string[]): Promise<string> => {
  const limits = { timeout: TIMEOUT_MS, maxBuffer: MOST_BYTES };
  return (await promisify(execFile)(command, args, { ...limits, ...where })).stdout;
};

/** A folder that is gone with its user. */
export const temporaryFolder = async (): Promise<{ path: string } & AsyncDisposable> => {
  const path = await mkdtemp(join(tmpdir(), 'proxywatch-container-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
};

/** What podman and buildah need where neither systemd nor a daemon runs. */
const CONTAINERS_CONF = `
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[engine.runtimes]
runc = ["/usr/sbin/runc"]
`;

/** The environment for podman and buildah, by a file in the folder. */
export const engineEnvironment = async (folder: string): Promise<NodeJS.ProcessEnv> => {
  const file = join(folder, 'containers.conf');
  await writeFile(file, CONTAINERS_CONF);
  return { ...process.env, CONTAINERS_CONF: file };
};

export const BUILD = [
  'bud',
  '--isolation',
  'chroot',
  '--pull-never',
  '--network',
  'host',
  '--format',
  'docker',
];
