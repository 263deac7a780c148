// Detects whether a file has changed without reading it.

import { statSync } from 'node:fs';

/** Returns a text that stays equal until the file is changed or replaced. Throws the system's error if the file is missing. */
export const fingerprintOf = (file: string): string => {
  const { ino, size, mtimeNs } = statSync(file, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
};
