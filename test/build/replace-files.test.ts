import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    `const { readFileSync } = require('node:fs');
     const { parentPort, workerData } = require('node:worker_threads');
     const seen = new Set();
     parentPort.postMessage('ready');
     for (let reads = 0; reads < 1_000; reads += 1) {
       const text = readFileSync(workerData, 'utf8');
       seen.add(text.length + text[0] + text.at(-1));
     }
     parentPort.postMessage([...seen].sort());`,
    { eval: true, workerData: join(folder, 'a.js') },
  );
  const messages: unknown[] = [];
  const ended = new Promise((resolve, reject) => reader.once('exit', resolve).once('error', reject));
  reader.on('message', (message) => messages.push(message));
  let turn = 0;
  while (messages.length < 2) {
    turn += 1;
    replaceFiles(folder, filesOf([['a.js', (turn % 2 ? other : one) ?? '']]));
    await new Promise(setImmediate);
  }
  await ended;
  expect(['100000011', '100000022']).toEqual(expect.arrayContaining(messages[1] as string[]));
});
