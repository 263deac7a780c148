// Commands without a process of their own: what they print, their exit code, and the error an operator reads.

import { Writable } from 'node:stream';
import type { CommandContext, ExitCode } from '../../src/cli/context.ts';
import { explain } from '../../src/cli/explain.ts';
import type { Simulator } from '../../src/simulator/simulator.ts';

export interface Said {
  readonly code: ExitCode;
  readonly stdout: string;
  /** What main.ts prints of an error that ended the command comes last. */
  readonly stderr: string;
}

class Text extends Writable {
  text = '';

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

export const say = async <O>(
  execute: (context: CommandContext, options: O) => Promise<ExitCode>,
  options: O,
  signal: AbortSignal = new AbortController().signal,
): Promise<Said> => {
  const [stdout, stderr] = [new Text(), new Text()];
  const context = {
    ...{ env: {}, stdout, stderr, signal },
    ...{ version: '0.0.0-test', nodeVersion: '24.0.0', onHangup: () => {} },
  };
  let code: ExitCode = 1;
  try {
    code = await execute(context, options);
  } catch (error) {
    stderr.text += `${explain(error)}\n`;
  }
  return { code, stdout: stdout.text, stderr: stderr.text };
};

/** The text of a configuration for the account of a simulator; JSON is YAML. */
export const configOf = (
  { baseUrl, publicKey, privateKey }: Pick<Simulator, 'baseUrl' | 'publicKey' | 'privateKey'>,
  account: Readonly<Record<string, unknown>> = {},
  others: Readonly<Record<string, unknown>> = {},
): string =>
  JSON.stringify({
    server: { listen: '127.0.0.1:0' },
    ...others,
    accounts: [
      {
        name: 'main',
        base_url: baseUrl,
        public_key: publicKey,
        private_key: privateKey,
        requests_per_second: 1_000,
        ...account,
      },
    ],
  });
