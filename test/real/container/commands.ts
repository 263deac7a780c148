// Runs other programs to their end and returns their output.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../../..');

const MAX_BYTES = 16 * 1024 ** 2;
const TIMEOUT_MS = 300_000;

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Returns what the command prints. If it fails, rejects with an error that has its `stderr`. */
export const run = async (where: RunOptions, command: string, ...args: string[]): Promise<string> => {
  const limits = { timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES };
  return (await promisify(execFile)(command, args, { ...limits, ...where })).stdout;
};

/** Creates a folder that is deleted when the result is disposed. */
export const temporaryFolder = async (): Promise<{ path: string } & AsyncDisposable> => {
  const path = await mkdtemp(join(tmpdir(), 'proxywatch-container-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
};

/** Settings that podman and buildah need without systemd and without a daemon. */
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

/** Returns the environment for podman and buildah, whose settings are in a file in the folder. */
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
