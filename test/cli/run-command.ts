// Runs commands in the test's process and returns their output, exit code and the error shown to the operator.

import { Readable, Writable } from 'node:stream';
import type { CommandContext, ExitCode } from '../../src/cli/context.ts';
import { describeError } from '../../src/cli/end.ts';
import type { Simulator } from '../../src/simulator/simulator.ts';

export interface CommandResult {
  readonly code: ExitCode;
  readonly stdout: string;
  /** Ends with the text that main.ts prints for an error that ended the command. */
  readonly stderr: string;
}

class TextBuffer extends Writable {
  text = '';

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

export const runCommand = async <O>(
  execute: (context: CommandContext, options: O) => Promise<ExitCode>,
  options: O,
  signal: AbortSignal = new AbortController().signal,
  input: readonly string[] = [],
  docsUrl?: string,
): Promise<CommandResult> => {
  const [stdout, stderr] = [new TextBuffer(), new TextBuffer()];
  const context = {
    ...{ env: {}, stdin: Readable.from(input), stdout, stderr, signal },
    ...{ version: '0.0.0-test', nodeVersion: '24.0.0', onHangup: () => {} },
    docsUrl,
  };
  let code: ExitCode = 1;
  try {
    code = await execute(context, options);
  } catch (error) {
    stderr.text += `${describeError(error)}\n`;
  }
  return { code, stdout: stdout.text, stderr: stderr.text };
};

/** Returns the text of a configuration for the account of a simulator; JSON is valid YAML. */
export const configText = (
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

/** Returns the text of a configuration at the highest pace that is no warning. */
export const unwarnedConfigText: typeof configText = (simulator, account = {}, others = {}) =>
  configText(simulator, { requests_per_second: 10, ...account }, others);
