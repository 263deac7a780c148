// Counts what a reader of the repository must know, and fails if it is more than the bounds below: `npm run size`.
//
// A bound is raised only by a commit that says why, and lowered when less is reached.

import { globSync, readFileSync } from 'node:fs';
import { ALERT_FAMILIES } from '../src/alerts/families.ts';
import { FAMILIES } from '../src/collectors/index.ts';
import { configJsonSchema } from '../src/config/json-schema.ts';
import { settingsSchema } from '../src/daemon/settings.ts';
import { DAEMON_FAMILIES } from '../src/metrics/daemon-families.ts';
import { settingsOf } from '../test/docs/config-keys.ts';

/** The longest file that is still one idea. */
const MOST_LINES = 250;

const linesOf = (file: string): number => readFileSync(file, 'utf8').split('\n').length - 1;
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
const sorted = (counts: readonly number[]): number[] => counts.toSorted((a, b) => a - b);
const wordsOf = (file: string): number => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).length;

const source = globSync('src/**/*.{ts,cjs}').map(linesOf);
const tests = globSync('test/**/*.ts').map(linesOf);
const bench = globSync('bench/**/*.{ts,mjs}').map(linesOf);
const docs = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md')];
const alerts = readFileSync('prometheus/rules/proxywatch.yml', 'utf8').matchAll(/^ *- alert: (\w+)/gm);
const families = [...FAMILIES, ...ALERT_FAMILIES, ...DAEMON_FAMILIES];
/** Settings with the same name, such as `schedule`, have the same meaning. */
const settings = new Set(
  [...settingsOf(configJsonSchema(settingsSchema)).keys()].map((path) => path.split('.').at(-1)),
);

/** What is counted, how much there is, and how much there may be. */
const SIZES: readonly (readonly [name: string, count: number, bound: number])[] = [
  ['lines of source', sum(source), 95_850],
  ['files of source', source.length, 799],
  ['median lines of a source file', sorted(source)[source.length >> 1] ?? 0, 114],
  [`source files above ${MOST_LINES} lines`, source.filter((lines) => lines > MOST_LINES).length, 0],
  ['lines of tests', sum(tests), 106_090],
  ['lines of benchmarks', sum(bench), 1_840],
  ['words of documentation', sum(docs.map(wordsOf)), 79_840],
  ['how-to guides', globSync('docs/how-to/*.md').length, 16],
  ['metric families', families.length, 226],
  ['alerts', new Set([...alerts].map(([, name]) => name)).size, 53],
  ['settings', settings.size, 263],
];

for (const [name, count, bound] of SIZES)
  console.log(`${count > bound ? 'TOO MANY' : 'ok      '} ${name}: ${count} (at most ${bound})`);
process.exitCode = Number(SIZES.some(([, count, bound]) => count > bound));
