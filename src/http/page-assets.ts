// What the status page loads: its modules, its style and the plotting library, under a path that changes with them.

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
  /** Where they are served, relative to the page; another one for other assets. */
  readonly base: string;
  /** Of the page's own code: that of this module. */
  readonly extension: string;
  /** By path below the base. Nothing else is served. */
  readonly files: ReadonlyMap<string, Asset>;
}

const FOLDER = join(import.meta.dirname, '../page');

const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const LIBRARY = ['uPlot.esm.js', 'uPlot.min.css'];

export const readPageAssets = async (): Promise<PageAssets> => {
  const names = await readdir(FOLDER, { recursive: true });
  const own = names.filter((name) => extname(name) in TYPES && !name.endsWith('.d.ts')).sort();
  const files = new Map([
    ...(await Promise.all(own.map(async (name) => [name, await readOwn(name)] as const))),
    ...(await Promise.all(LIBRARY.map(async (name) => [name, await readLibrary(name)] as const))),
  ]);
  const hash = createHash('sha256');
  for (const [name, { body }] of files) hash.update(`${name}\n${body.length}\n`).update(body);
  const version = hash.digest('base64url').slice(0, 16);
  return { base: `assets/${version}`, extension: extname(import.meta.filename), files };
};

const readOwn = async (name: string): Promise<Asset> => {
  const body = await readFile(join(FOLDER, name));
  // In a checkout there has been no build.
  const code = name.endsWith('.ts') ? Buffer.from(stripTypeScriptTypes(body.toString())) : body;
  return { type: TYPES[extname(name)] ?? '', body: code };
};

const readLibrary = async (name: string): Promise<Asset> => ({
  type: TYPES[extname(name)] ?? '',
  body: await readFile(fileURLToPath(import.meta.resolve(`uplot/dist/${name}`))),
});
