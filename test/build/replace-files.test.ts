import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFiles } from '../../build/replace-files.ts';

let folder: string;

const filesOf = (files: readonly (readonly [string, string | Uint8Array])[]) => new Map(files);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proxywatch-replace-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');

test('the folder gets the files and no others', () => {
  replaceFiles(
    folder,
    filesOf([
      ['a.js', 'a'],
      ['chunks/b.js', 'b'],
    ]),
  );
  replaceFiles(
    folder,
    filesOf([
      ['a.js', 'new'],
      ['page/c.js', Buffer.from('c')],
    ]),
  );
  expect([textOf('a.js'), textOf('page/c.js')]).toEqual(['new', 'c']);
  expect(existsSync(join(folder, 'chunks/b.js'))).toBe(false);
});

test('files that stay the same are not touched', () => {
  replaceFiles(folder, filesOf([['a.js', 'a']]));
  utimesSync(join(folder, 'a.js'), 1, 1);
  replaceFiles(folder, filesOf([['a.js', 'a']]));
  expect(statSync(join(folder, 'a.js')).mtimeMs).toBe(1_000);
});

test('a reader sees a whole file at each moment', async () => {
  const [one, other] = ['1', '2'].map((digit) => digit.repeat(1_000_000));
  replaceFiles(folder, filesOf([['a.js', one ?? '']]));
  const reader = new Worker(
    // It ends when it has read often and has seen both, or when it sees anything else.
    `const { readFileSync } = require('node:fs');
     const { parentPort, workerData } = require('node:worker_threads');
     const seen = new Set();
     for (let reads = 0; (reads < 300 || seen.size < 2) && seen.size < 3; reads += 1) {
       const text = readFileSync(workerData, 'utf8');
       const summary = text.length + text.slice(0, 1) + text.slice(-1);
       if (!seen.has(summary)) parentPort.postMessage(summary);
       seen.add(summary);
     }`,
    { eval: true, workerData: join(folder, 'a.js') },
  );
  const seen = new Set<unknown>();
  reader.on('message', (text) => seen.add(text));
  let isReading = true;
  const ended = once(reader, 'exit').finally(() => {
    isReading = false;
  });
  for (let turn = 1; isReading; turn += 1) {
    replaceFiles(folder, filesOf([['a.js', (turn % 2 ? other : one) ?? '']]));
    await setImmediate();
  }
  expect(await ended).toEqual([0]);
  expect([...seen].sort()).toEqual(['100000011', '100000022']);
});
