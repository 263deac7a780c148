// Describes to the operator that the folder of a file to write does not exist.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns undefined if the folder exists. */
export const describeMissingFolder = (file: string): string | undefined => {
  const folder = dirname(file);
  if (existsSync(folder)) return undefined;
  return `${file}: the folder ${folder} does not exist. Create it with "mkdir -p ${folder}", or give a file in another folder`;
};
