// Fails if a package of the lock file has a known vulnerability of high or critical severity. Not every registry offers
// audits, and a check that cannot be made is named, but does not fail.

import { spawnSync } from 'node:child_process';

const { stdout, stderr } = spawnSync(
  'npm',
  ['audit', '--json', '--audit-level=high', ...process.argv.slice(2)],
  {
    encoding: 'utf8',
  },
);

/** The statuses of a registry without audits. Any other failure may hide a vulnerability. */
const NOT_OFFERED = [404, 405, 501];

const parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

const { metadata, vulnerabilities = {}, message = '', statusCode } = parse(stdout);
const severe = Object.values(vulnerabilities).filter(({ severity }) => /^(high|critical)$/.test(severity));
for (const { name, severity, range } of severe) console.log(`${severity}: ${name} ${range}`);
if (metadata) {
  console.log(
    `${Object.keys(vulnerabilities).length} vulnerable packages, ${severe.length} of them high or critical`,
  );
  process.exitCode = severe.length > 0 ? 1 : 0;
} else if (NOT_OFFERED.includes(statusCode)) {
  console.log(
    'NOT AUDITED: the registry offers no audits, so known vulnerabilities of packages were not looked up',
  );
} else {
  console.log(`npm audit failed: ${message}\n${stderr}`);
  process.exitCode = 1;
}
