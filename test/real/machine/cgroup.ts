// Limits the memory of a process with a control group, of version 1 or 2.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryLimit extends Disposable {
  /** Moves a process into the group. */
  add(pid: number): void;
  /** The most memory of the group so far, with the page cache of its files (bytes). */
  peakBytes(): number;
  /** The processes that the kernel killed because of the limit. */
  kills(): number;
}

interface Version {
  readonly root: string;
  readonly limit: string;
  readonly peak: string;
  readonly events: string;
}

const VERSIONS: readonly Version[] = [
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    events: 'memory.oom_control',
  },
  { root: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak', events: 'memory.events' },
];

const create = ({ root, limit, peak, events }: Version, bytes: number): MemoryLimit | undefined => {
  const group = join(root, `proxywatch-${process.pid}-${Date.now()}`);
  try {
    mkdirSync(group);
  } catch {
    return undefined;
  }
  if (!existsSync(join(group, limit))) {
    rmdirSync(group);
    return undefined;
  }
  writeFileSync(join(group, limit), String(bytes));
  const read = (file: string): string => readFileSync(join(group, file), 'utf8');
  return {
    add: (pid) => writeFileSync(join(group, 'cgroup.procs'), String(pid)),
    peakBytes: () => Number(read(peak)),
    kills: () => Number(/^oom_kill (\d+)/m.exec(read(events))?.[1]),
    [Symbol.dispose]: () => rmdirSync(group),
  };
};

/** Returns undefined if this user may not limit memory. */
export const limitMemory = (bytes: number): MemoryLimit | undefined => {
  for (const version of VERSIONS) {
    const group = create(version, bytes);
    if (group) return group;
  }
  return undefined;
};

export const canLimitMemory = (() => {
  using group = limitMemory(1024 ** 3);
  return group !== undefined;
})();
