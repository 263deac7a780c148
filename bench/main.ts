// Runs cases of the benchmark, all by default, and prints their figures: npm run bench -- [CASE …] [options]
//
// --against REF   also runs the commit REF, and prints the ratio of both versions
// --rounds N      rounds of turns; each case has a default
// --small         a small version of each case, which takes seconds
// --seed N        the order of the turns
// --speed N       the speed of the clocks of cases that shorten the time

import { parseArgs } from 'node:util';
import { answers } from './cases/answers.ts';
import { api } from './cases/api.ts';
import { accounts, growth, small } from './cases/daemons.ts';
import { exposition } from './cases/exposition.ts';
import { page } from './cases/page.ts';
import { allUsage, poll, usage } from './cases/poll.ts';
import { probes } from './cases/probes.ts';
import { remoteWrite } from './cases/remote-write.ts';
import { size } from './cases/size.ts';
import { demo, failover, start } from './cases/start.ts';
import { users } from './cases/users.ts';
import { type Case, printRows, randomNumbers, runCase } from './harness.ts';
import { otherVersion, thisVersion } from './versions.ts';

const CASES: Readonly<Record<string, Case>> = {
  ...{
    poll,
    usage,
    'usage-all': allUsage,
    exposition,
    memory: small,
    accounts,
    growth,
    users,
    start,
    demo,
    failover,
    size,
  },
  ...{ api, answers, page, probes, 'remote-write': remoteWrite },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ against: { type: 'string' }, rounds: { type: 'string' }, speed: { type: 'string' } },
    small: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

const names = positionals.length > 0 ? positionals : Object.keys(CASES);
const cases = names.map((name) => {
  const it = CASES[name];
  if (!it) throw new Error(`No case is named ${name}; there are: ${Object.keys(CASES).join(', ')}`);
  return [name, it] as const;
});
const versions = [thisVersion(), ...(values.against === undefined ? [] : [otherVersion(values.against)])];
const options = {
  ...{ versions, isSmall: values.small, random: randomNumbers(Number(values.seed)) },
  ...{ rounds: numberOf(values.rounds), speed: numberOf(values.speed) },
};
console.log(`versions: ${versions.map((it) => it.name).join(', ')}; order of turns: --seed ${values.seed}`);
for (const [name, it] of cases) {
  console.log(`\n# ${name}: ${it.title}`);
  printRows(await runCase(it, options));
}
// The connections of scrapes would keep the process alive.
process.exit();
