// Adds up the results of the checks of .ci/run: the tests of a vitest report, or one result by exit code. Names the
// tests that failed, because their own lines can be far above the end of a long log, and what ran on which engine.

import { spawnSync } from 'node:child_process';
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

// The packages of engines and their versions, on the PATH and in the newer suite of .ci/engines.
const PACKAGES = [
  'prometheus',
  'prometheus-alertmanager',
  'prometheus-blackbox-exporter',
  'victoria-metrics',
];
const inSuite = join(process.env.PROXYWATCH_ENGINES ?? '', 'versions');
const VERSIONS = {
  PATH: spawnSync('dpkg-query', ['-W', ...PACKAGES], { encoding: 'utf8' }).stdout ?? '',
  sid: existsSync(inSuite) ? readFileSync(inSuite, 'utf8') : '',
};
const PACKAGE_OF = {
  promtool: 'prometheus',
  amtool: 'prometheus-alertmanager',
  'vmalert-tool': 'victoria-metrics',
};

// A program with its version, such as "promtool 2.42.0", or with the place that it comes from.
const withVersion = (program, place) => {
  const version = new RegExp(`^${PACKAGE_OF[program] ?? program}[\\s_]([\\d.]+)`, 'm').exec(
    VERSIONS[place] ?? '',
  );
  return `${program} ${version?.[1] ?? `of ${place}`}`;
};

const NAMED =
  /\b(prometheus[\w-]*|promtool|victoria-metrics|vmalert-tool) (?:of (\w+)|installed|(\d[\d.]+))( by [\w.]+)?/g;
const STARTED =
  /(?<=(describeWith\(\[.*|PROGRAM = )')(prometheus[\w-]*|promtool|amtool|victoria-metrics)(?=')/g;

// The engines that a title names, or else those that the file starts from the PATH, together.
const enginesOf = (report, file, title) => {
  const named = [...title.matchAll(NAMED)].map(
    ([, program, suite = 'PATH', version, protocol = '']) =>
      (version ? `${program} ${version}` : withVersion(program, suite)) + protocol,
  );
  if (named.length > 0) return named;
  const started = new Set(readFileSync(file, 'utf8').match(STARTED));
  const place = report === 'real-sid' ? 'sid' : 'PATH';
  return started.size === 0 ? [] : [[...started].map((program) => withVersion(program, place)).join(', ')];
};

// Prints how many tests of each file passed on which engine, and their time.
const printEngines = (all) => {
  const rows = new Map();
  for (const { name: report, testResults = [] } of all)
    for (const { name: path, assertionResults } of testResults) {
      const file = relative('.', path);
      for (const { fullName, status, duration = 0 } of file.startsWith('test/real/') ? assertionResults : [])
        for (const engine of enginesOf(report, file, fullName)) {
          const row = `${engine.padEnd(42)} ${file.padEnd(46)}`;
          const [passed, run, time] = rows.get(row) ?? [0, 0, 0];
          rows.set(row, [passed + (status === 'passed'), run + 1, time + duration]);
        }
    }
  for (const [row, [passed, run, time]] of rows)
    console.log(`${row} ${passed} of ${run} in ${Math.round(time / 1000)} s`);
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
// Written by test/real/server-process.ts.
const panics = readdirSync(folder).filter((file) => file.endsWith('.panics'));
const panicCount = panics.reduce((sum, file) => sum + readFileSync(join(folder, file)).length, 0);
if (panicCount > 0) console.log(`${panicCount} panics of Prometheus, after each of which a test ran again`);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') > 0 ? 1 : 0;
