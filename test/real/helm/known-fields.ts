// Checks with the type checker that objects have only fields that Kubernetes knows.

import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFolder } from '../../config/support.ts';
import { hasSchema } from '../../deploy/kubernetes-schemas.ts';
import { ROOT } from '../../docs/documents.ts';
import type { Rendered } from './renderer.ts';

const OPTIONS = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];

/** Returns what the type checker prints about unknown fields and wrong types. */
export const unknownFieldsIn = async (releases: readonly Rendered[]): Promise<string> => {
  const objects = releases.flatMap(({ objects }) => objects.map(({ content }) => content)).filter(hasSchema);
  const folder = createFolder({
    'package.json': '{"type": "module"}',
    'objects.ts': objects.map((object, index) => declarationOf(object, index)).join('\n'),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), ...OPTIONS, join(folder, 'objects.ts')];
  return promisify(execFile)(process.execPath, tsc, { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );
};

/** The type checker rejects unknown fields in a literal. */
const declarationOf = (object: { apiVersion: string; kind: string }, index: number): string => {
  const type = `import('kubernetes-models/${object.apiVersion}').I${object.kind}`;
  return `export const object${index}: ${type} = ${JSON.stringify(object, null, 1)};`;
};
