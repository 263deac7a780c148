// Adds up the results of the checks of .ci/run: the tests of a vitest report, or one result by exit code.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);

const resultOf = (name) => {
  const isOk = readFileSync(join(folder, `${name}.exit`), 'utf8').trim() === '0';
  const report = join(folder, `${name}.json`);
  if (!existsSync(report)) return { name, passed: Number(isOk), failed: Number(!isOk) };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
  // A test file that does not load, or an error outside of all tests, fails the run but no test.
  return { name, passed: numPassedTests, failed: isOk ? numFailedTests : Math.max(1, numFailedTests) };
};

const results = readdirSync(folder)
  .filter((file) => file.endsWith('.exit'))
  .map((file) => resultOf(file.slice(0, -'.exit'.length)));

for (const { name, failed } of results) if (failed > 0) console.log(`failed: ${name} (${failed})`);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') > 0 ? 1 : 0;
