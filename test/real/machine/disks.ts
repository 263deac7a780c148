// Makes file systems that a test can fill or break: one in memory, and one in a file.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const DISK_BYTES = 16 * 1024 ** 2;

export interface Disk extends Disposable {
  readonly path: string;
}

const run = (command: string, ...args: readonly string[]): void => {
  execFileSync(command, args, { stdio: 'pipe' });
};

const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'proxywatch-disk-'));

/** Mounts a file system in memory. */
export const mountMemory = (): Disk => {
  const path = makeFolder();
  run('mount', '-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', path);
  return {
    path,
    [Symbol.dispose]: () => {
      run('umount', path);
      rmSync(path, { recursive: true });
    },
  };
};

const REFILL_MS = 50;

/** Keeps the disk full, also when a program frees space, until the result is disposed. */
export const fill = ({ path }: Disk): Disposable => {
  const file = join(path, 'filler');
  fillFreeSpace(file);
  const refill = setInterval(() => fillFreeSpace(file), REFILL_MS);
  return {
    [Symbol.dispose]: () => {
      clearInterval(refill);
      rmSync(file);
    },
  };
};

const fillFreeSpace = (file: string): void => {
  for (let size = DISK_BYTES; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // The disk has less free space than this size, so try a smaller one.
    }
  }
};

export interface ImageDisk extends Disk {
  /** Makes the file system read-only for open files too, as the kernel does after an error of the disk. */
  abort(): void;
  /** Repairs the file system and mounts it again. No file may be open. */
  repair(): void;
}

/** Mounts an ext4 file system that is in a file. */
export const mountImage = (): ImageDisk => {
  const folder = makeFolder();
  const [image, path] = [join(folder, 'image'), join(folder, 'mount')];
  writeFileSync(image, '');
  run('truncate', '-s', String(DISK_BYTES), image);
  run('mkfs.ext4', '-q', image);
  mkdirSync(path);
  run('mount', '-o', 'loop', image, path);
  return {
    path,
    abort: () => run('mount', '-o', 'remount,abort', path),
    repair: () => {
      run('umount', path);
      // The exit code is 1 if it repaired something.
      run('sh', '-c', `e2fsck -fy ${image}; [ $? -le 1 ]`);
      run('mount', '-o', 'loop', image, path);
    },
    [Symbol.dispose]: () => {
      run('umount', path);
      rmSync(folder, { recursive: true });
    },
  };
};

/** Whether this user may mount file systems. */
export const canMount = (() => {
  try {
    mountMemory()[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
})();
