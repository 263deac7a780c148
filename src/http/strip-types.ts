// Strips types from TypeScript without the warning of Node.js that its function is experimental.

import { stripTypeScriptTypes } from 'node:module';

/** Keeps the positions of all code. No operator can act on that warning, so it must not reach standard error. */
export const stripTypes = (code: string): string => {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith('stripTypeScriptTypes '))
      Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return stripTypeScriptTypes(code);
  } finally {
    process.emitWarning = emitWarning;
  }
};
