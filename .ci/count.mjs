// Adds up the results of the checks of .ci/run: the tests of a vitest report, or one result by exit code. Names the
// tests that failed, because their own lines can be far above the end of a long log, and what ran on which engine.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [folder] = process.argv.slice(2);

const resultOf = (name) => {
  const isOk = readFileSync(join(folder, `${name}.exit`), 'utf8').trim() === '0';
  const report = join(folder, `${name}.json`);
  if (!existsSync(report)) return { name, passed: Number(isOk), failed: Number(!isOk) };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  // A test file that does not load, or an error outside of all tests, fails the run but no test.
  const failed = isOk ? numFailedTests : Math.max(1, numFailedTests);
  return { name, passed: numPassedTests, failed, failures: testResults.flatMap(failuresOf), testResults };
};

// The failed tests of a test file, each with the first lines of its message. A file that does not load has no tests.
const failuresOf = ({ name: path, status, message, assertionResults }) => {
  const file = relative('.', path);
  const failures = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failures.length === 0) return [`${file}: ${startOf(message)}`];
  return failures.map((test) => `${file} > ${test.fullName}: ${startOf(test.failureMessages.join('\n'))}`);
};

// The engine that a title names, such as "prometheus 3.5.3", or the suite of the report's engines from the PATH.
const engineOf = (report, title) =>
  /\b(prometheus[\w-]*|promtool|victoria-metrics) (of \w+|installed|\d[\d.]+)/.exec(title)?.[0] ??
  (report === 'real-sid' ? 'engines of sid' : 'engines of the PATH');

// Prints how many tests of each file passed on which engine, and their time: of those files that ran on several.
const printEngines = (all) => {
  const files = new Map();
  for (const { name: report, testResults = [] } of all)
    for (const { name: path, assertionResults } of testResults)
      for (const { fullName, status, duration = 0 } of assertionResults) {
        const file = relative('.', path);
        const engines = files.get(file) ?? files.set(file, new Map()).get(file);
        const engine = engineOf(report, fullName);
        const [passed, run, time] = engines.get(engine) ?? [0, 0, 0];
        engines.set(engine, [passed + (status === 'passed'), run + 1, time + duration]);
      }
  for (const [file, engines] of files)
    for (const [engine, [passed, run, time]] of engines.size > 1 ? engines : [])
      console.log(
        `${engine.padEnd(35)} ${file.padEnd(46)} ${passed} of ${run} in ${Math.round(time / 1000)} s`,
      );
};

const startOf = (message) => message.split('\n').slice(0, 8).join('\n').slice(0, 1000);

const results = readdirSync(folder)
  .filter((file) => file.endsWith('.exit'))
  .map((file) => resultOf(file.slice(0, -'.exit'.length)));

for (const { name, failed, failures = [] } of results) {
  if (failed === 0) continue;
  console.log(`failed: ${name} (${failed})`);
  for (const failure of failures) console.log(`- ${failure}`);
}
printEngines(results);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') > 0 ? 1 : 0;
