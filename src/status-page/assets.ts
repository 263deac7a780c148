// Reads the status page's modules, style and plotting library, and derives a path that changes with their content.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

export interface PageAssets {
  /** The path of the assets, relative to the page. It changes with their content. */
  readonly base: string;
  /** The extension of the page's own modules, which is the one of this module. */
  readonly extension: string;
  /** The assets by their path below the base. Nothing else is served. */
  readonly files: ReadonlyMap<string, Asset>;
}

const FOLDER = join(import.meta.dirname, '../page');

const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const LIBRARY_FILES = ['uPlot.esm.js', 'uPlot.min.css'];

export const readPageAssets = async (): Promise<PageAssets> => {
  const names = await readdir(FOLDER, { recursive: true });
  const pageFiles = names.filter((name) => extname(name) in TYPES && !name.endsWith('.d.ts')).sort();
  const files = new Map([
    ...(await Promise.all(pageFiles.map(async (name) => [name, await readPageFile(name)] as const))),
    ...(await Promise.all(LIBRARY_FILES.map(async (name) => [name, await readLibraryFile(name)] as const))),
  ]);
  const hash = createHash('sha256');
  for (const [name, { body }] of files) hash.update(`${name}\n${body.length}\n`).update(body);
  const version = hash.digest('base64url').slice(0, 16);
  return { base: `assets/${version}`, extension: extname(import.meta.filename), files };
};

const readPageFile = async (name: string): Promise<Asset> => {
  const body = await readFile(join(FOLDER, name));
  // A checkout has no build, so the types are stripped here.
  const code = name.endsWith('.ts') ? Buffer.from(stripTypes(body.toString())) : body;
  return { type: TYPES[extname(name)] ?? '', body: code };
};

/** Strips types without the warning of Node.js that its function is experimental. Keeps the positions of all code. No operator can act on that warning, so it must not reach standard error. */
const stripTypes = (code: string): string => {
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

const readLibraryFile = async (name: string): Promise<Asset> => ({
  type: TYPES[extname(name)] ?? '',
  body: await readFile(fileURLToPath(import.meta.resolve(`uplot/dist/${name}`))),
});
