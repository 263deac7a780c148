// Sums the self time of a CPU profile of the built program by folder of the sources. SECONDS leaves out the first part of
// the profile, such as the start of the daemon: node bench/profile-summary.ts FILE [SECONDS]

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const MOST_FUNCTIONS = 25;
const sources = new Map<string, string[]>();

/** The build keeps the path of each module as a comment above its code. */
const moduleOf = ({ url, lineNumber, functionName }: Frame): string => {
  if (!url.includes('/dist/')) return url.startsWith('node:') ? url : functionName;
  const lines = sources.get(url) ?? readFileSync(fileURLToPath(url), 'utf8').split('\n');
  sources.set(url, lines);
  const above = lines.slice(0, lineNumber + 1).findLast((line) => /^\/\/ (src|node_modules)\//.test(line));
  return above?.slice(3) ?? url;
};

/** `src/store/sqlite/users/x.ts` belongs to `src/store`. */
const folderOf = (module: string): string =>
  module.startsWith('src/') ? module.split('/').slice(0, 2).join('/') : module;

const [, , file = '', skippedSeconds = '0'] = process.argv;
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
const selfUs = new Map<number, number>();
let untilFirstUs = Number(skippedSeconds) * 1e6;
for (const [index, id] of samples.entries()) {
  const us = timeDeltas[index] ?? 0;
  untilFirstUs -= us;
  if (untilFirstUs < 0) selfUs.set(id, (selfUs.get(id) ?? 0) + us);
}

const [folders, functions] = [new Map<string, number>(), new Map<string, number>()];
const add = (sums: Map<string, number>, key: string, us: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + us);
for (const { id, callFrame } of nodes) {
  const us = selfUs.get(id) ?? 0;
  if (callFrame.functionName === '(idle)') continue;
  const module = moduleOf(callFrame);
  add(folders, folderOf(module), us);
  add(functions, `${callFrame.functionName || 'anonymous'} in ${module}`, us);
}
const total = [...folders.values()].reduce((sum, us) => sum + us, 0);
const print = (title: string, sums: Map<string, number>): void => {
  console.log(`| ${title} | share of the busy time |\n|---|---|`);
  for (const [key, us] of [...sums].toSorted((a, b) => b[1] - a[1]).slice(0, MOST_FUNCTIONS))
    console.log(`| ${key} | ${((100 * us) / total).toFixed(1)}% |`);
};
print('module', folders);
print('function', functions);
console.log(`busy: ${(total / 1e6).toFixed(1)} s`);
