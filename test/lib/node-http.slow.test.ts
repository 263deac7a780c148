import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const LIST_BUILTINS = `
  await import('./src/cli/run.ts');
  console.log(JSON.stringify(process.moduleLoadList));
`;

it('loads no second HTTP client into the daemon', () => {
  const args = ['--input-type=module', '--eval', LIST_BUILTINS];
  const builtins = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as string[];
  expect(builtins).toContain('NativeModule http');
  expect(builtins).not.toContain('NativeModule internal/deps/undici/undici');
});
