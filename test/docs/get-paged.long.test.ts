// Follows docs/how-to/get-paged.md: its receiver gets an alert in Slack's format, and a heartbeat.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { Program, waitUntil } from '../cli/program.ts';
import { createFolder } from '../config/support.ts';
import { freePort } from '../support/free-port.ts';
import { codeBlocksIn } from './documents.ts';

const FILES = new Map(
  codeBlocksIn('docs/how-to/get-paged.md').flatMap(({ text: shell }) =>
    [...shell.matchAll(/^cat > \S*\/(\S+) <<'END'\n(.*?)^END$/gms)].map(
      ([, name = '', content = '']) => [name, content] as const,
    ),
  ),
);

const startReceiver = (file: string): { readonly output: () => string } => {
  const child: ChildProcess = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'close');
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  return { output: () => output };
};

test('the receiver of the page gets an alert in the format of Slack, and a heartbeat', async () => {
  expect([...FILES.keys()]).toEqual(['receiver.mjs', 'config.yaml']);
  await using provider = await startSimulator({ now: () => Date.now() });
  const port = await freePort();
  const relocated = (name: string) =>
    (FILES.get(name) ?? '')
      .replace('8081', `${port}`)
      .replaceAll(':8081/', `:${port}/`)
      .replace('http://127.0.0.1:8080/1.0', provider.baseUrl);
  const folder = createFolder({
    'receiver.mjs': relocated('receiver.mjs'),
    'config.yaml': `server: {listen: "127.0.0.1:0"}\n${relocated('config.yaml')}`,
  });
  const receiver = startReceiver(join(folder, 'receiver.mjs'));
  await using daemon = Program.start(['run', '--config', join(folder, 'config.yaml')]);
  // The last line may be incomplete.
  const received = (start: string, part = ''): string | undefined =>
    receiver
      .output()
      .split('\n')
      .slice(0, -1)
      .find((line) => line.startsWith(start) && line.includes(part));
  const message = (): string | undefined => received('POST /slack ', 'ProxyUserQuotaExhausted');
  await waitUntil(() => !daemon.isRunning || Boolean(message() && received('GET /ping')));
  const body = message()?.slice('POST /slack '.length) ?? '';
  expect(JSON.parse(body)).toEqual({
    text: expect.stringMatching(
      /^\[warning\] (?:proxywatch|ProxyUserQuotaExhausted, account main): \d+ firing\n/,
    ),
    mrkdwn: false,
  });
  expect(JSON.parse(body).text).toMatch(
    /\nStatus page, on the machine of proxywatch: http:\/\/127\.0\.0\.1:[1-9]\d*\/\?account=main/,
  );
});
