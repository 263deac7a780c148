// Converts errors of the file system to StoreErrors that name the file and say what to do.

import { StoreError } from '../../errors.ts';

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'Free space on the disk',
  EDQUOT: 'Free space on the disk, or raise the disk quota',
  EROFS: 'Make the file system writable',
  EMFILE: 'Raise the limit of open files of proxywatch, for example with LimitNOFILE= in systemd',
  ENFILE: 'Raise the limit of open files of the machine',
};
const OTHER_ADVICE = 'Check the free disk space, and the permissions of the file and its folder';

/** Returns any other error as it is. */
export const asFileError = (error: unknown, file: string): unknown => {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const advice = ('code' in error && ADVICE[String(error.code)]) || OTHER_ADVICE;
  const message = `${file}: proxywatch cannot read or write it (${error.message}). ${advice}`;
  return new StoreError('unwritable', message, { cause: error });
};
